using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>What a pool holds now and has done so far.</summary>
    public sealed class BufferPoolStats
    {
        internal BufferPoolStats(ckpt_buffer_pool_stats from)
        {
            LiveBytes = from.live_bytes;
            LiveBuffers = from.live_buffers;
            RetainedBytes = from.retained_bytes;
            RetainedBuffers = from.retained_buffers;
            ReservedBytes = from.reserved_bytes;
            PeakReservedBytes = from.peak_reserved_bytes;
            Taken = from.taken;
            Reused = from.reused;
        }

        /// <summary>Asked for and not given back.</summary>
        public long LiveBytes { get; }

        /// <summary>Their buffers.</summary>
        public long LiveBuffers { get; }

        /// <summary>Kept for reuse.</summary>
        public long RetainedBytes { get; }

        /// <summary>Their buffers.</summary>
        public long RetainedBuffers { get; }

        /// <summary>Taken from the system.</summary>
        public long ReservedBytes { get; }

        /// <summary>The most that ReservedBytes was.</summary>
        public long PeakReservedBytes { get; }

        /// <summary>Buffers given out.</summary>
        public long Taken { get; }

        /// <summary>Those of them that needed no memory from the system.</summary>
        public long Reused { get; }
    }
}
