using Ckpt.Interop;

namespace Ckpt.Strategies
{
    /// <summary>What a strategy's yes means for the schedule that is made of it.</summary>
    public enum StrategyChosen
    {
        /// <summary>In a config: what is usual for the kind; Boundary for Interval, Recompute for all others.</summary>
        Default = native.CKPT_STRATEGY_CHOSEN_DEFAULT,
        /// <summary>A chosen layer keeps only its input and runs again in backward; all others are stored.</summary>
        Recompute = native.CKPT_STRATEGY_CHOSEN_RECOMPUTE,
        /// <summary>Inputs of chosen layers are kept, each stretch between them is recomputed as one segment.</summary>
        Boundary = native.CKPT_STRATEGY_CHOSEN_BOUNDARY,
    }
}
