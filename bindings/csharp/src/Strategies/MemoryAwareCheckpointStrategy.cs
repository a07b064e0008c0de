using System;
using System.Diagnostics.CodeAnalysis;
using Ckpt.Interop;

namespace Ckpt.Strategies
{
    /// <summary>Checkpoints every n-th layer, where n shrinks while memory is short.</summary>
    public sealed unsafe class MemoryAwareCheckpointStrategy : Strategy
    {
        /// <summary>Makes the strategy.</summary>
        /// <param name="maxMemoryPercentage">A share in (0, 1].</param>
        /// <param name="memoryTracker">Whose live bytes count; null: the executor's, else the process's.</param>
        /// <param name="totalSystemMemory">null: what the process may really use.</param>
        /// <param name="clock">null: the monotonic clock.</param>
        public MemoryAwareCheckpointStrategy(double maxMemoryPercentage = 0.8,
                                             [AllowNull] MemoryTracker memoryTracker = null, long? totalSystemMemory = null,
                                             [AllowNull] Clock clock = null)
            : base(Made((out IntPtr made) =>
                native.ckpt_strategy_create_memory_aware(maxMemoryPercentage, HandleOf(memoryTracker), totalSystemMemory ?? 0,
                    HandleOf(clock), out made)))
        {
        }
    }
}
