using System.Diagnostics.CodeAnalysis;
using Ckpt.Interop;

namespace Ckpt.Adaptive
{
    /// <summary>How a controller decides. Seconds.</summary>
    public sealed class ControllerOptions
    {
        /// <summary>The library's defaults.</summary>
        public ControllerOptions()
        {
            using (var defaults = new ckpt_controller_options())
            {
                Policy = (ControllerPolicy)defaults.policy;
                MtbfSeconds = defaults.mtbf_seconds;
                IntervalSeconds = defaults.interval_seconds;
                Keep = defaults.keep;
                InitialCostSeconds = defaults.initial_cost_seconds;
                FirstSeconds = defaults.first_seconds;
                PollSeconds = defaults.poll_seconds;
                MinIntervalSeconds = defaults.min_interval_seconds;
                MaxIntervalSeconds = defaults.max_interval_seconds;
                MaxOverheadShare = defaults.max_overhead_share;
                BudgetSaves = defaults.budget_saves;
                BudgetWindowSeconds = defaults.budget_window_seconds;
                Threshold = defaults.threshold;
                ThresholdLearningRate = defaults.threshold_learning_rate;
                ThresholdBudget = defaults.threshold_budget;
            }
        }

        /// <summary>Auto by default.</summary>
        public ControllerPolicy Policy { get; set; }

        /// <summary>For Young and Daly, above 0.</summary>
        public double MtbfSeconds { get; set; }

        /// <summary>For Fixed, above 0.</summary>
        public double IntervalSeconds { get; set; }

        /// <summary>For Bayes and ExpectedValue: share of what is known that each failure leaves; 1: nothing is
        /// forgotten.</summary>
        public double Keep { get; set; }

        /// <summary>What a save costs, until one was measured; 0: unknown.</summary>
        public double InitialCostSeconds { get; set; }

        /// <summary>When that is unknown the first save comes no later, to learn it.</summary>
        public double FirstSeconds { get; set; }

        /// <summary>Between two questions; 0: as long as observed tasks last on average.</summary>
        public double PollSeconds { get; set; }

        /// <summary>0 by default.</summary>
        public double MinIntervalSeconds { get; set; }

        /// <summary>0: no maximum.</summary>
        public double MaxIntervalSeconds { get; set; }

        /// <summary>Of the time that saves may take, above 0, at most 1.</summary>
        public double MaxOverheadShare { get; set; }

        /// <summary>In each window.</summary>
        public long BudgetSaves { get; set; }

        /// <summary>0: one window for the whole run.</summary>
        public double BudgetWindowSeconds { get; set; }

        /// <summary>For Threshold: its first value, 0.05 .. 1.</summary>
        public double Threshold { get; set; }

        /// <summary>Above 0, at most 1.</summary>
        public double ThresholdLearningRate { get; set; }

        /// <summary>Checkpoints of a run.</summary>
        public long ThresholdBudget { get; set; }

        /// <summary>For Now; kept alive. null: the monotonic clock.</summary>
        [MaybeNull, AllowNull]
        public Clock Clock { get; set; }

        internal ckpt_controller_options Native()
        {
            var options = new ckpt_controller_options();
            options.policy = (int)Policy;
            options.mtbf_seconds = MtbfSeconds;
            options.interval_seconds = IntervalSeconds;
            options.keep = Keep;
            options.initial_cost_seconds = InitialCostSeconds;
            options.first_seconds = FirstSeconds;
            options.poll_seconds = PollSeconds;
            options.min_interval_seconds = MinIntervalSeconds;
            options.max_interval_seconds = MaxIntervalSeconds;
            options.max_overhead_share = MaxOverheadShare;
            options.budget_saves = BudgetSaves;
            options.budget_window_seconds = BudgetWindowSeconds;
            options.threshold = Threshold;
            options.threshold_learning_rate = ThresholdLearningRate;
            options.threshold_budget = ThresholdBudget;
            options.clock = NativeObject.HandleOf(Clock);
            return options;
        }
    }
}
