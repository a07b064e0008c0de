using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>What one layer holds.</summary>
    public sealed class LayerMemoryStats
    {
        internal LayerMemoryStats(ckpt_memory_layer_stats from)
        {
            LayerIndex = from.layer;
            LayerId = Utf8.Text(from.name);
            CurrentMemoryUsed = from.current_bytes;
            PeakMemoryUsed = from.peak_bytes;
            TotalBytesAllocated = from.total_allocated_bytes;
            TotalBytesDeallocated = from.total_freed_bytes;
            ActiveAllocationCount = from.live_allocations;
            AllocationCount = from.allocations;
            DeallocationCount = from.frees;
            MaxAllocationSize = from.largest_bytes;
            AverageAllocationSize = from.average_bytes;
            LastAllocatedNanoseconds = from.last_allocated_ns;
            LastDeallocatedNanoseconds = from.last_freed_ns;
        }

        /// <summary>The layer's number.</summary>
        public int LayerIndex { get; }

        /// <summary>The layer's name.</summary>
        public string LayerId { get; }

        /// <summary>Bytes that are live.</summary>
        public long CurrentMemoryUsed { get; }

        /// <summary>The most bytes of this layer alone.</summary>
        public long PeakMemoryUsed { get; }

        /// <summary>Bytes of all its allocations.</summary>
        public long TotalBytesAllocated { get; }

        /// <summary>Bytes of all that it freed.</summary>
        public long TotalBytesDeallocated { get; }

        /// <summary>Allocations that are live.</summary>
        public long ActiveAllocationCount { get; }

        /// <summary>Allocations it has made.</summary>
        public long AllocationCount { get; }

        /// <summary>Allocations of it that ended.</summary>
        public long DeallocationCount { get; }

        /// <summary>Bytes of its largest allocation.</summary>
        public long MaxAllocationSize { get; }

        /// <summary>TotalBytesAllocated over AllocationCount, rounded down; 0 when there was none.</summary>
        public long AverageAllocationSize { get; }

        /// <summary>When it allocated last, on the tracker's clock; 0: never.</summary>
        public long LastAllocatedNanoseconds { get; }

        /// <summary>When it freed last, on the tracker's clock; 0: never.</summary>
        public long LastDeallocatedNanoseconds { get; }

        /// <summary>Whether anything of it is live.</summary>
        public bool IsCurrentlyAllocated
        {
            get { return ActiveAllocationCount > 0; }
        }
    }
}
