using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;

namespace Ckpt.Strategies
{
    /// <summary>Makes the usual strategies.</summary>
    public static class CheckpointStrategyFactory
    {
        /// <summary>From a config.</summary>
        /// <param name="config">Says which.</param>
        /// <returns>The strategy.</returns>
        public static Strategy CreateStrategy(CheckpointConfig config)
        {
            return Strategy.FromConfig(config);
        }

        /// <summary>Every n-th layer.</summary>
        /// <param name="interval">At least 1.</param>
        /// <returns>The strategy.</returns>
        public static IntervalCheckpointStrategy CreateInterval(long interval = 2)
        {
            return new IntervalCheckpointStrategy(interval);
        }

        /// <summary>Layers that are named and not excluded.</summary>
        /// <param name="checkpointLayers">Names or globs.</param>
        /// <param name="excludeLayers">Names or globs.</param>
        /// <returns>The strategy.</returns>
        public static SelectiveCheckpointStrategy CreateSelective([AllowNull] IEnumerable<string> checkpointLayers = null,
                                                                  [AllowNull] IEnumerable<string> excludeLayers = null)
        {
            return new SelectiveCheckpointStrategy(checkpointLayers, excludeLayers);
        }

        /// <summary>Large activations.</summary>
        /// <param name="minActivationSizeBytes">At least 1.</param>
        /// <param name="excludeLayers">Names or globs.</param>
        /// <returns>The strategy.</returns>
        public static SizeBasedCheckpointStrategy CreateSizeBased(long minActivationSizeBytes = 1024 * 1024,
                                                                  [AllowNull] IEnumerable<string> excludeLayers = null)
        {
            return new SizeBasedCheckpointStrategy(minActivationSizeBytes, excludeLayers);
        }

        /// <summary>Every n-th layer; n shrinks while memory is short.</summary>
        /// <param name="maxMemoryPercentage">A share in (0, 1].</param>
        /// <param name="memoryTracker">Whose live bytes count; null: the executor's, else the process's.</param>
        /// <returns>The strategy.</returns>
        public static MemoryAwareCheckpointStrategy CreateMemoryAware(double maxMemoryPercentage = 0.8,
                                                                      [AllowNull] MemoryTracker memoryTracker = null)
        {
            return new MemoryAwareCheckpointStrategy(maxMemoryPercentage, memoryTracker);
        }

        /// <summary>Large, rarely used and late layers.</summary>
        /// <param name="excludeLayers">Names or globs.</param>
        /// <returns>The strategy.</returns>
        public static SmartCheckpointStrategy CreateSmart([AllowNull] IEnumerable<string> excludeLayers = null)
        {
            return new SmartCheckpointStrategy(excludeLayers);
        }
    }
}
