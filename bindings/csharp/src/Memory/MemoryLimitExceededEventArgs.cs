using System;

namespace Ckpt
{
    /// <summary>The live total of a tracker rose above its limit.</summary>
    public sealed class MemoryLimitExceededEventArgs : EventArgs
    {
        internal MemoryLimitExceededEventArgs(MemoryEventArgs from)
        {
            CurrentMemoryUsage = from.CurrentMemoryUsage;
            MemoryLimit = from.MemoryLimit ?? 0;
            LayerId = from.LayerId;
            Timestamp = from.Timestamp;
        }

        /// <summary>Bytes that are live.</summary>
        public long CurrentMemoryUsage { get; }

        /// <summary>The limit in bytes.</summary>
        public long MemoryLimit { get; }

        /// <summary>The layer whose allocation it was; "" when the limit was set below the live total.</summary>
        public string LayerId { get; }

        /// <summary>When this was told, by the system's clock in UTC.</summary>
        public DateTime Timestamp { get; }
    }
}
