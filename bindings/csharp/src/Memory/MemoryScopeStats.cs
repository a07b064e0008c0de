using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>What happened in a scope, of the whole tracker and all threads.</summary>
    public sealed class MemoryScopeStats
    {
        internal MemoryScopeStats(ckpt_memory_scope_stats from)
        {
            Depth = from.depth;
            StartBytes = from.start_bytes;
            PeakBytes = from.peak_bytes;
            NetBytes = from.net_bytes;
            TotalMemoryAllocated = from.total_allocated_bytes;
            PushedNanoseconds = from.pushed_ns;
        }

        /// <summary>Open scopes around it.</summary>
        public int Depth { get; }

        /// <summary>Bytes that were live when it began.</summary>
        public long StartBytes { get; }

        /// <summary>The most bytes that were live since then.</summary>
        public long PeakBytes { get; }

        /// <summary>Bytes live now less those at the start; may be negative.</summary>
        public long NetBytes { get; }

        /// <summary>Bytes allocated since then.</summary>
        public long TotalMemoryAllocated { get; }

        /// <summary>When it began, on the tracker's clock.</summary>
        public long PushedNanoseconds { get; }
    }
}
