using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>One live allocation.</summary>
    public sealed class MemoryAllocation
    {
        internal MemoryAllocation(ckpt_memory_allocation from)
        {
            LayerIndex = from.layer;
            Allocation = from.allocation;
            SizeBytes = from.bytes;
            AgeNanoseconds = from.age_ns;
            Sequence = from.sequence;
        }

        /// <summary>The layer's number.</summary>
        public int LayerIndex { get; }

        /// <summary>Its id.</summary>
        public ulong Allocation { get; }

        /// <summary>Its bytes.</summary>
        public long SizeBytes { get; }

        /// <summary>Since it was recorded, as coarse as the clock.</summary>
        public long AgeNanoseconds { get; }

        /// <summary>Of its recording: lower is older.</summary>
        public ulong Sequence { get; }
    }
}
