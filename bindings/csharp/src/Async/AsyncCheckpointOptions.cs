using System;
using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>How a manager of background tasks works.</summary>
    public sealed class AsyncCheckpointOptions
    {
        /// <summary>The library's defaults.</summary>
        public AsyncCheckpointOptions()
        {
            using (var defaults = new ckpt_async_manager_options())
            {
                Workers = defaults.workers;
                MaxQueueSize = defaults.capacity;
                History = defaults.history;
                StagingBytes = defaults.staging_bytes;
                PrepareBytes = defaults.prepare_bytes;
                BytesPerSecond = defaults.bytes_per_second;
                DrainTimeout = defaults.drain_timeout_ns < 0 ? System.Threading.Timeout.InfiniteTimeSpan
                    : Times.OfNanoseconds(defaults.drain_timeout_ns);
                StagingThreads = defaults.staging_threads;
                Nice = defaults.nice;
            }
        }

        /// <summary>Threads that write and load, 1 .. 16.</summary>
        public int Workers { get; set; }

        /// <summary>Tasks that have not ended, at most; 10 by default.</summary>
        public long MaxQueueSize { get; set; }

        /// <summary>Tasks that have ended and can still be asked for.</summary>
        public long History { get; set; }

        /// <summary>Memory for copies, at most; 1 GiB by default.</summary>
        public long StagingBytes { get; set; }

        /// <summary>Of that, touched now, so that the first saves are as fast as the later ones.</summary>
        public long PrepareBytes { get; set; }

        /// <summary>Limit on what is written; 0: none.</summary>
        public long BytesPerSecond { get; set; }

        /// <summary>How long Dispose, and the end of the process, let tasks go on; 30 s by default.</summary>
        public TimeSpan DrainTimeout { get; set; }

        /// <summary>Threads that copy, the calling one included; 0: a few.</summary>
        public int StagingThreads { get; set; }

        /// <summary>Of the manager's threads: 0 .. 19 is the least favourable.</summary>
        public int Nice { get; set; }

        /// <summary>When the process ends: true cancels what is not committed yet, false (the default) lets it end within
        /// DrainTimeout.</summary>
        public bool CancelAtExit { get; set; }

        internal ckpt_async_manager_options Native()
        {
            var options = new ckpt_async_manager_options();
            options.workers = Workers;
            options.capacity = MaxQueueSize;
            options.history = History;
            options.staging_bytes = StagingBytes;
            options.prepare_bytes = PrepareBytes;
            options.bytes_per_second = BytesPerSecond;
            options.drain_timeout_ns = Times.Nanoseconds(DrainTimeout);
            options.staging_threads = StagingThreads;
            options.nice = Nice;
            return options;
        }
    }
}
