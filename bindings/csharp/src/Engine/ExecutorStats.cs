using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>What an executor measured since it was made.</summary>
    public sealed class ExecutorStats
    {
        internal ExecutorStats(ckpt_schedule_executor_stats from)
        {
            Steps = from.steps;
            Forwards = from.forwards;
            RecomputedForwards = from.recomputed_forwards;
            LiveBytes = from.live_bytes;
            PeakLiveBytes = from.peak_live_bytes;
            ReservedBytes = from.reserved_bytes;
            Seconds = from.seconds;
        }

        /// <summary>That ended well.</summary>
        public long Steps { get; }

        /// <summary>Layer forwards, recomputed ones included.</summary>
        public long Forwards { get; }

        /// <summary>Layer forwards beyond the first of each layer and step.</summary>
        public long RecomputedForwards { get; }

        /// <summary>Of what is alive now: 0 between steps.</summary>
        public long LiveBytes { get; }

        /// <summary>The most that was alive at once: the verifier's peak to the byte.</summary>
        public long PeakLiveBytes { get; }

        /// <summary>The arena.</summary>
        public long ReservedBytes { get; }

        /// <summary>Of all steps.</summary>
        public double Seconds { get; }
    }
}
