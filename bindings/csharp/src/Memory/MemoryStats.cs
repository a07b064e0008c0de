using System;
using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>The totals of a tracker at one moment.</summary>
    public sealed class MemoryStats
    {
        internal MemoryStats(ckpt_memory_stats from)
        {
            LayerCount = from.layer_count;
            CurrentMemoryUsed = from.current_bytes;
            PeakMemoryUsed = from.peak_bytes;
            TotalMemoryAllocated = from.total_allocated_bytes;
            TotalMemoryDeallocated = from.total_freed_bytes;
            CheckpointCount = from.live_allocations;
            AllocationCount = from.allocations;
            DeallocationCount = from.frees;
            AverageMemoryPerCheckpoint = from.average_bytes;
            NotFound = from.not_found;
            Refused = from.refused;
            HandlerFailures = from.handler_failures;
            TimeNanoseconds = from.time_ns;
            Sequence = from.sequence;
            Timestamp = DateTime.UtcNow;
        }

        /// <summary>Layers that were ever named.</summary>
        public int LayerCount { get; }

        /// <summary>Bytes that are live.</summary>
        public long CurrentMemoryUsed { get; }

        /// <summary>The most bytes that were live at once, since the start or the last reset.</summary>
        public long PeakMemoryUsed { get; }

        /// <summary>Bytes of all allocations since then.</summary>
        public long TotalMemoryAllocated { get; }

        /// <summary>Bytes of all that was freed since then.</summary>
        public long TotalMemoryDeallocated { get; }

        /// <summary>Allocations that are live.</summary>
        public long CheckpointCount { get; }

        /// <summary>Allocations made since then.</summary>
        public long AllocationCount { get; }

        /// <summary>Allocations that ended since then.</summary>
        public long DeallocationCount { get; }

        /// <summary>Bytes that are live over their number, rounded down; 0 when none is.</summary>
        public long AverageMemoryPerCheckpoint { get; }

        /// <summary>Calls refused for an unknown layer or allocation, double frees included.</summary>
        public long NotFound { get; }

        /// <summary>Reservations refused by the limit.</summary>
        public long Refused { get; }

        /// <summary>Event handlers that threw.</summary>
        public long HandlerFailures { get; }

        /// <summary>When this was true, on the tracker's clock.</summary>
        public long TimeNanoseconds { get; }

        /// <summary>Transitions since the tracker was made; not reset.</summary>
        public ulong Sequence { get; }

        /// <summary>When this was asked for, by the system's clock in UTC.</summary>
        public DateTime Timestamp { get; }

        /// <summary>Bytes that are saved against storing everything; negative when more is live.</summary>
        /// <param name="totalActivationSize">Bytes of all activations.</param>
        /// <returns>The difference.</returns>
        public long CalculateMemorySavings(long totalActivationSize)
        {
            return totalActivationSize - CurrentMemoryUsed;
        }

        /// <summary>The same as a share of all bytes; 0 when there are none.</summary>
        /// <param name="totalActivationSize">Bytes of all activations.</param>
        /// <returns>At most 1.</returns>
        public float CalculateMemoryReductionPercentage(long totalActivationSize)
        {
            if (totalActivationSize == 0) return 0;
            return (float)((double)CalculateMemorySavings(totalActivationSize) / totalActivationSize);
        }
    }
}
