using System;
using Ckpt.Interop;

namespace Ckpt.Strategies
{
    /// <summary>Checkpoints every n-th layer, beginning with layer 0.</summary>
    public sealed unsafe class IntervalCheckpointStrategy : Strategy
    {
        /// <summary>Makes the strategy.</summary>
        /// <param name="interval">At least 1.</param>
        public IntervalCheckpointStrategy(long interval = 2)
            : base(Made((out IntPtr made) => native.ckpt_strategy_create_interval(interval, out made)))
        {
            Interval = interval;
        }

        /// <summary>Layers from one checkpoint to the next.</summary>
        public long Interval { get; }
    }
}
