using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>What a schedule costs on a chain, exactly.</summary>
    public sealed class PlanReport
    {
        internal PlanReport(ckpt_plan_report from)
        {
            Actions = from.actions;
            Forwards = from.forwards;
            RecomputedForwards = from.recomputed_forwards;
            Seconds = from.seconds;
            RecomputedSeconds = from.recomputed_seconds;
            PeakAction = from.peak_action;
            PeakBytesOfTiers = Peaks(from);
        }

        /// <summary>End included.</summary>
        public long Actions { get; }

        /// <summary>Layer forwards, recomputed ones included.</summary>
        public long Forwards { get; }

        /// <summary>Layer forwards beyond the first of each layer.</summary>
        public long RecomputedForwards { get; }

        /// <summary>Of all forwards and backwards.</summary>
        public double Seconds { get; }

        /// <summary>Of recomputed forwards.</summary>
        public double RecomputedSeconds { get; }

        /// <summary>Index of the action during which memory was fullest.</summary>
        public long PeakAction { get; }

        /// <summary>Live bytes at the fullest moment of each tier.</summary>
        public long[] PeakBytesOfTiers { get; }

        /// <summary>Live bytes of memory at its fullest moment: tier 0.</summary>
        public long PeakBytes
        {
            get { return PeakBytesOfTiers[0]; }
        }

        private static unsafe long[] Peaks(ckpt_plan_report from)
        {
            var peaks = new long[native.CKPT_TIERS];
            for (var i = 0; i < peaks.Length; ++i) peaks[i] = from.peak_bytes[i];
            return peaks;
        }
    }
}
