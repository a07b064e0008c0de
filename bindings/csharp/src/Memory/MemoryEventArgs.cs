using System;

namespace Ckpt
{
    /// <summary>One transition of a tracker, with the values that held right after it.</summary>
    public sealed class MemoryEventArgs : EventArgs
    {
        internal MemoryEventArgs(MemoryEventKinds kind, ulong sequence, ulong allocation, long bytes, long current, long peak,
            long limit,
                                 long time, string layerId, int layerIndex)
        {
            Kind = kind;
            Sequence = sequence;
            Allocation = allocation;
            SizeBytes = bytes;
            CurrentMemoryUsage = current;
            PeakMemoryUsage = peak;
            MemoryLimit = limit == 0 ? (long?)null : limit;
            TimeNanoseconds = time;
            LayerId = layerId;
            LayerIndex = layerIndex;
            Timestamp = DateTime.UtcNow;
        }

        /// <summary>What happened: one kind.</summary>
        public MemoryEventKinds Kind { get; }

        /// <summary>Order of transitions; several threads may tell of theirs out of order.</summary>
        public ulong Sequence { get; }

        /// <summary>The allocation's id; 0 when a limit was set below the live total.</summary>
        public ulong Allocation { get; }

        /// <summary>Bytes of the allocation.</summary>
        public long SizeBytes { get; }

        /// <summary>Bytes that are live.</summary>
        public long CurrentMemoryUsage { get; }

        /// <summary>The most bytes that were live at once.</summary>
        public long PeakMemoryUsage { get; }

        /// <summary>The limit, or null when there is none.</summary>
        public long? MemoryLimit { get; }

        /// <summary>When it happened, on the tracker's clock.</summary>
        public long TimeNanoseconds { get; }

        /// <summary>The layer's name; "" when a limit was set below the live total.</summary>
        public string LayerId { get; }

        /// <summary>The layer's number; -1 in that case.</summary>
        public int LayerIndex { get; }

        /// <summary>When this was told, by the system's clock in UTC.</summary>
        public DateTime Timestamp { get; }
    }
}
