using System;
using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>What a manager does now, and what it has done so far.</summary>
    public sealed class AsyncCheckpointStats
    {
        internal AsyncCheckpointStats(ckpt_async_manager_stats from)
        {
            Live = from.live;
            Running = from.running;
            Completed = from.completed;
            Failed = from.failed;
            Cancelled = from.cancelled;
            Rejected = from.rejected;
            InFlightBytes = from.in_flight_bytes;
            WrittenBytes = from.written_bytes;
            StagingBytes = from.staging_bytes;
            Stall = Times.OfSeconds(from.stall_seconds);
            LastStall = Times.OfSeconds(from.last_stall_seconds);
        }

        /// <summary>Tasks that have not ended.</summary>
        public long Live { get; }

        /// <summary>Of them, those that a worker has begun.</summary>
        public long Running { get; }

        /// <summary>Tasks, since the manager was made.</summary>
        public long Completed { get; }

        /// <summary>Tasks, since the manager was made.</summary>
        public long Failed { get; }

        /// <summary>Tasks, since the manager was made.</summary>
        public long Cancelled { get; }

        /// <summary>Tasks, since the manager was made.</summary>
        public long Rejected { get; }

        /// <summary>Of live saves, that are not written yet.</summary>
        public long InFlightBytes { get; }

        /// <summary>By all tasks.</summary>
        public long WrittenBytes { get; }

        /// <summary>Memory that was allocated for copies.</summary>
        public long StagingBytes { get; }

        /// <summary>That callers were kept, in all.</summary>
        public TimeSpan Stall { get; }

        /// <summary>By the save staged last.</summary>
        public TimeSpan LastStall { get; }
    }
}
