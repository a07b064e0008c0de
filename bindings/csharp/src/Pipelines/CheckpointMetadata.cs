using Ckpt.Interop;

namespace Ckpt.Pipelines
{
    /// <summary>What is known of one stored activation.</summary>
    public sealed class CheckpointMetadata
    {
        internal CheckpointMetadata(ckpt_activation_metadata from)
        {
            MicroBatchIndex = from.micro_batch;
            MemorySize = from.bytes;
            DType = (DType)from.dtype;
            Shape = Lengths(from);
            StoredNanoseconds = from.stored_ns;
            Hits = from.hits;
        }

        /// <summary>Its micro-batch.</summary>
        public long MicroBatchIndex { get; }

        /// <summary>Its bytes.</summary>
        public long MemorySize { get; }

        /// <summary>Of its elements.</summary>
        public DType DType { get; }

        /// <summary>Its shape.</summary>
        public long[] Shape { get; }

        /// <summary>When it was stored, on the manager's clock.</summary>
        public long StoredNanoseconds { get; }

        /// <summary>Times it was read since.</summary>
        public long Hits { get; }

        private static unsafe long[] Lengths(ckpt_activation_metadata from)
        {
            var shape = new long[from.ndim];
            for (var i = 0; i < shape.Length; ++i) shape[i] = from.shape[i];
            return shape;
        }
    }
}
