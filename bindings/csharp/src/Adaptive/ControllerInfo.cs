using Ckpt.Interop;

namespace Ckpt.Adaptive
{
    /// <summary>What a controller knows.</summary>
    public sealed class ControllerInfo
    {
        internal ControllerInfo(ckpt_controller_info from)
        {
            IsRunning = from.running != 0;
            SaveInFlight = from.save_in_flight != 0;
            Failures = from.failures;
            Saves = from.saves;
            CostSeconds = from.cost_seconds;
            DurableSeconds = from.durable_seconds;
            UnjudgedOverheadSeconds = from.unjudged_overhead_seconds;
            LastSeenSeconds = from.last_seen_seconds;
            MtbfSeconds = from.mtbf_seconds;
            Threshold = from.threshold;
            ThresholdUsed = from.threshold_used;
            Tasks = from.tasks;
        }

        /// <summary>Whether a run is going on.</summary>
        public bool IsRunning { get; }

        /// <summary>Whether a save was begun and not ended.</summary>
        public bool SaveInFlight { get; }

        /// <summary>Recorded.</summary>
        public long Failures { get; }

        /// <summary>Committed.</summary>
        public long Saves { get; }

        /// <summary>Mean stall of the last saves; 0 when there was none.</summary>
        public double CostSeconds { get; }

        /// <summary>Their mean time until they were durable.</summary>
        public double DurableSeconds { get; }

        /// <summary>Of saves that neither a recovery nor a clean exit has judged.</summary>
        public double UnjudgedOverheadSeconds { get; }

        /// <summary>The last sign of life.</summary>
        public double LastSeenSeconds { get; }

        /// <summary>Mean time between failures, as the policy sees it.</summary>
        public double MtbfSeconds { get; }

        /// <summary>Of the threshold rule.</summary>
        public double Threshold { get; }

        /// <summary>Its slots.</summary>
        public long ThresholdUsed { get; }

        /// <summary>That Task can read.</summary>
        public long Tasks { get; }
    }
}
