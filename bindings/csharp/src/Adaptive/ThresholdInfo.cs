using Ckpt.Interop;

namespace Ckpt.Adaptive
{
    /// <summary>What a threshold rule knows.</summary>
    public sealed class ThresholdInfo
    {
        internal ThresholdInfo(ckpt_threshold_info from)
        {
            Threshold = from.threshold;
            LongestSeconds = from.longest_seconds;
            Budget = from.budget;
            Used = from.used;
            Tasks = from.tasks;
        }

        /// <summary>Its value now.</summary>
        public double Threshold { get; }

        /// <summary>Of all tasks observed.</summary>
        public double LongestSeconds { get; }

        /// <summary>Checkpoints of a run.</summary>
        public long Budget { get; }

        /// <summary>Of them.</summary>
        public long Used { get; }

        /// <summary>That can be read.</summary>
        public long Tasks { get; }
    }
}
