using Ckpt.Interop;

namespace Ckpt.Adaptive
{
    /// <summary>Whether to save now, and why.</summary>
    public sealed class Decision
    {
        internal Decision(ckpt_decision from)
        {
            Checkpoint = from.checkpoint != 0;
            Reason = (DecisionReason)from.reason;
            Policy = (ControllerPolicy)from.policy;
            IntervalSeconds = from.interval_seconds;
            Risk = from.risk;
            CostSeconds = from.cost_seconds;
            SinceLastSeconds = from.since_last_seconds;
            DueSeconds = from.due_seconds;
        }

        /// <summary>True: save now.</summary>
        public bool Checkpoint { get; }

        /// <summary>Why.</summary>
        public DecisionReason Reason { get; }

        /// <summary>Which policy answered.</summary>
        public ControllerPolicy Policy { get; }

        /// <summary>Wanted between saves now; 0 for Threshold.</summary>
        public double IntervalSeconds { get; }

        /// <summary>Probability of a failure within that interval.</summary>
        public double Risk { get; }

        /// <summary>Of a save: measured, given, or assumed.</summary>
        public double CostSeconds { get; }

        /// <summary>Since the last save, or since work began.</summary>
        public double SinceLastSeconds { get; }

        /// <summary>When a save is wanted, on the caller's clock; 0 for Threshold.</summary>
        public double DueSeconds { get; }
    }
}
