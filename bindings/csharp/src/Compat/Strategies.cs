using System;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using System.Globalization;

namespace Ckpt.Compat
{
    /// <summary>Kinds of strategies that choose layers, and of policies that choose micro-batches (ActivationPolicyKind).</summary>
    public enum CheckpointStrategy
    {
        /// <summary>Every n-th layer.</summary>
        Interval,
        /// <summary>Layers that are named; every n-th micro-batch.</summary>
        Selective,
        /// <summary>Large activations.</summary>
        SizeBased,
        /// <summary>Every n-th layer; n decreases while memory is short.</summary>
        MemoryAware,
        /// <summary>Large, rarely used and late layers.</summary>
        Smart,
        /// <summary>All micro-batches.</summary>
        StoreAll,
        /// <summary>No micro-batch.</summary>
        RecomputeAll,
        /// <summary>The micro-batches that fit a threshold.</summary>
        MemoryBased,
    }

    /// <summary>Strategy.Interval.</summary>
    public sealed class IntervalCheckpointStrategy : Strategy
    {
        /// <summary>Creates the strategy.</summary>
        /// <param name="interval">At least 1.</param>
        public IntervalCheckpointStrategy(long interval = 2) : base("interval:" + interval)
        {
        }

        /// <summary>Layers from one checkpoint to the next.</summary>
        public new long Interval
        {
            get { return GetInfo().Interval; }
        }
    }

    /// <summary>Strategy.Selective.</summary>
    public sealed class SelectiveCheckpointStrategy : Strategy
    {
        /// <summary>Creates the strategy.</summary>
        /// <param name="checkpointLayers">Names or globs.</param>
        /// <param name="excludeLayers">Names or globs.</param>
        public SelectiveCheckpointStrategy([AllowNull] IEnumerable<string> checkpointLayers = null,
                                           [AllowNull] IEnumerable<string> excludeLayers = null)
            : base(SelectiveText(checkpointLayers, excludeLayers))
        {
        }
    }

    /// <summary>Strategy.SizeBased.</summary>
    public sealed class SizeBasedCheckpointStrategy : Strategy
    {
        /// <summary>Creates the strategy.</summary>
        /// <param name="minActivationSizeBytes">At least 1.</param>
        /// <param name="excludeLayers">Names or globs that are never chosen.</param>
        public SizeBasedCheckpointStrategy(long minActivationSizeBytes = 1024 * 1024,
                                           [AllowNull] IEnumerable<string> excludeLayers = null)
            : base(Listed("size", new[] { minActivationSizeBytes.ToString() }, excludeLayers))
        {
        }
    }

    /// <summary>Strategy.MemoryAware.</summary>
    public sealed class MemoryAwareCheckpointStrategy : Strategy
    {
        /// <summary>Creates the strategy.</summary>
        /// <param name="maxMemoryPercentage">A share in (0, 1].</param>
        /// <param name="memoryTracker">Tracker of the live bytes; null: the executor's, else the process's.</param>
        /// <param name="totalSystemMemory">null: the memory that the process may use.</param>
        public MemoryAwareCheckpointStrategy(double maxMemoryPercentage = 0.8, [AllowNull] MemoryTracker memoryTracker = null,
                                             long? totalSystemMemory = null)
            : base("memory-aware:" + maxMemoryPercentage.ToString("R", CultureInfo.InvariantCulture),
                new StrategyOptions { Tracker = memoryTracker, TotalBytes = totalSystemMemory ?? 0 })
        {
        }
    }

    /// <summary>Strategy.Smart.</summary>
    public sealed class SmartCheckpointStrategy : Strategy
    {
        /// <summary>Creates the strategy.</summary>
        /// <param name="excludeLayers">Names or globs that are never chosen.</param>
        public SmartCheckpointStrategy([AllowNull] IEnumerable<string> excludeLayers = null)
            : base(Listed("smart", new string[0], excludeLayers))
        {
        }
    }

    /// <summary>The values of all common kinds of strategies; each kind reads its own.</summary>
    public sealed class CheckpointConfig
    {
        /// <summary>The kind.</summary>
        public CheckpointStrategy Strategy { get; set; }

        /// <summary>For Interval.</summary>
        public long Interval { get; set; } = 2;

        /// <summary>For Selective: names or globs.</summary>
        public IReadOnlyList<string> CheckpointLayers { get; set; } = new string[0];

        /// <summary>For Selective, SizeBased and Smart: names or globs that are never chosen.</summary>
        public IReadOnlyList<string> ExcludeLayers { get; set; } = new string[0];

        /// <summary>For SizeBased.</summary>
        public long MinActivationSizeBytes { get; set; } = 1048576;

        /// <summary>For MemoryAware.</summary>
        public double MaxMemoryPercentage { get; set; } = 0.8;
    }

    /// <summary>Creates the common strategies.</summary>
    public static class CheckpointStrategyFactory
    {
        /// <summary>Creates the strategy that a config describes.</summary>
        /// <param name="config">The kind and its values.</param>
        /// <returns>The strategy.</returns>
        public static Strategy CreateStrategy(CheckpointConfig config)
        {
            if (config == null) throw new ArgumentNullException("config");
            switch (config.Strategy)
            {
                case CheckpointStrategy.Interval: return CreateInterval(config.Interval);
                case CheckpointStrategy.Selective: return CreateSelective(config.CheckpointLayers, config.ExcludeLayers);
                case CheckpointStrategy.SizeBased: return CreateSizeBased(config.MinActivationSizeBytes, config.ExcludeLayers);
                case CheckpointStrategy.MemoryAware: return CreateMemoryAware(config.MaxMemoryPercentage);
                case CheckpointStrategy.Smart: return CreateSmart(config.ExcludeLayers);
                default:
                    throw new CkptInvalidArgumentException("config.Strategy " + config.Strategy
                        + ": expected one that chooses layers");
            }
        }

        /// <summary>Checkpoints every n-th layer.</summary>
        /// <param name="interval">At least 1.</param>
        /// <returns>The strategy.</returns>
        public static IntervalCheckpointStrategy CreateInterval(long interval = 2)
        {
            return new IntervalCheckpointStrategy(interval);
        }

        /// <summary>Checkpoints layers that are named and not excluded.</summary>
        /// <param name="checkpointLayers">Names or globs.</param>
        /// <param name="excludeLayers">Names or globs.</param>
        /// <returns>The strategy.</returns>
        public static SelectiveCheckpointStrategy CreateSelective([AllowNull] IEnumerable<string> checkpointLayers = null,
                                                                  [AllowNull] IEnumerable<string> excludeLayers = null)
        {
            return new SelectiveCheckpointStrategy(checkpointLayers, excludeLayers);
        }

        /// <summary>Checkpoints large activations.</summary>
        /// <param name="minActivationSizeBytes">At least 1.</param>
        /// <param name="excludeLayers">Names or globs.</param>
        /// <returns>The strategy.</returns>
        public static SizeBasedCheckpointStrategy CreateSizeBased(long minActivationSizeBytes = 1024 * 1024,
                                                                  [AllowNull] IEnumerable<string> excludeLayers = null)
        {
            return new SizeBasedCheckpointStrategy(minActivationSizeBytes, excludeLayers);
        }

        /// <summary>Checkpoints every n-th layer; n decreases while memory is short.</summary>
        /// <param name="maxMemoryPercentage">A share in (0, 1].</param>
        /// <param name="memoryTracker">Tracker of the live bytes; null: the executor's, else the process's.</param>
        /// <returns>The strategy.</returns>
        public static MemoryAwareCheckpointStrategy CreateMemoryAware(double maxMemoryPercentage = 0.8,
                                                                      [AllowNull] MemoryTracker memoryTracker = null)
        {
            return new MemoryAwareCheckpointStrategy(maxMemoryPercentage, memoryTracker);
        }

        /// <summary>Checkpoints large, rarely used and late layers.</summary>
        /// <param name="excludeLayers">Names or globs.</param>
        /// <returns>The strategy.</returns>
        public static SmartCheckpointStrategy CreateSmart([AllowNull] IEnumerable<string> excludeLayers = null)
        {
            return new SmartCheckpointStrategy(excludeLayers);
        }
    }
}
