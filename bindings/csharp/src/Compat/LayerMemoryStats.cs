using System;
using System.Diagnostics.CodeAnalysis;

namespace Ckpt.Compat
{
    /// <summary>The values of MemoryLayerStats, which converts to it.</summary>
    public sealed class LayerMemoryStats
    {
        private LayerMemoryStats(MemoryLayerStats from)
        {
            LayerId = from.Name;
            AllocationCount = from.Allocations;
            DeallocationCount = from.Frees;
            TotalBytesAllocated = from.TotalAllocatedBytes;
            TotalBytesDeallocated = from.TotalFreedBytes;
            MaxAllocationSize = from.LargestBytes;
            AverageAllocationSize = from.AverageBytes;
            LastAllocatedAt = from.LastAllocatedUtc ?? default(DateTime);
            LastDeallocatedAt = from.LastFreedUtc ?? default(DateTime);
            IsCurrentlyAllocated = from.LiveAllocations > 0;
        }

        /// <summary>Converts the values to these names.</summary>
        /// <param name="from">The result of MemoryTracker.GetLayerStats.</param>
        public static implicit operator LayerMemoryStats([AllowNull] MemoryLayerStats from)
        {
            return from == null ? null : new LayerMemoryStats(from);
        }

        /// <summary>The layer's name.</summary>
        public string LayerId { get; }

        /// <summary>Allocations.</summary>
        public long AllocationCount { get; }

        /// <summary>Frees.</summary>
        public long DeallocationCount { get; }

        /// <summary>TotalAllocatedBytes.</summary>
        public long TotalBytesAllocated { get; }

        /// <summary>TotalFreedBytes.</summary>
        public long TotalBytesDeallocated { get; }

        /// <summary>LargestBytes.</summary>
        public long MaxAllocationSize { get; }

        /// <summary>AverageBytes.</summary>
        public long AverageAllocationSize { get; }

        /// <summary>LastAllocatedUtc; default(DateTime) when the layer was never allocated.</summary>
        public DateTime LastAllocatedAt { get; }

        /// <summary>LastFreedUtc; default(DateTime) when the layer was never freed.</summary>
        public DateTime LastDeallocatedAt { get; }

        /// <summary>Whether the layer has live allocations.</summary>
        public bool IsCurrentlyAllocated { get; }
    }
}
