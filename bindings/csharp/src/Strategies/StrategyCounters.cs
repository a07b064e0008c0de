using Ckpt.Interop;

namespace Ckpt.Strategies
{
    /// <summary>What a strategy did since it was made or reset.</summary>
    public sealed class StrategyCounters
    {
        internal StrategyCounters(ckpt_strategy_counters from)
        {
            Asked = from.asked;
            Chosen = from.chosen;
            ChosenBytes = from.chosen_bytes;
        }

        /// <summary>Questions, failed ones not counted.</summary>
        public long Asked { get; }

        /// <summary>Questions answered with yes.</summary>
        public long Chosen { get; }

        /// <summary>Bytes of the activations that were answered with yes.</summary>
        public long ChosenBytes { get; }
    }
}
