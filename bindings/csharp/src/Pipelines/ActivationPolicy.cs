using System;
using System.Diagnostics.CodeAnalysis;
using Ckpt.Interop;

namespace Ckpt.Pipelines
{
    /// <summary>Which micro-batches' activations stay.</summary>
    public sealed class ActivationPolicy
    {
        /// <summary>A policy.</summary>
        /// <param name="strategy">Its kind.</param>
        /// <param name="checkpointInterval">Selective: every so many-th; 0 stores all, like 1.</param>
        /// <param name="memoryThreshold">MemoryBased: bytes.</param>
        /// <param name="chooser">Custom: is asked; kept alive.</param>
        public ActivationPolicy(CheckpointStrategy strategy, long checkpointInterval = 1, long memoryThreshold = 1024 * 1024 * 1024,
                                [AllowNull] Strategies.Strategy chooser = null)
        {
            Strategy = strategy;
            CheckpointInterval = checkpointInterval;
            MemoryThreshold = memoryThreshold;
            Chooser = chooser;
        }

        internal ActivationPolicy(ckpt_activation_policy from) : this((CheckpointStrategy)from.kind, from.interval,
            from.threshold_bytes)
        {
        }

        /// <summary>Its kind.</summary>
        public CheckpointStrategy Strategy { get; }

        /// <summary>Of Selective.</summary>
        public long CheckpointInterval { get; }

        /// <summary>Of MemoryBased, in bytes.</summary>
        public long MemoryThreshold { get; }

        /// <summary>Of Custom; null when the policy was asked for.</summary>
        [MaybeNull]
        public Strategies.Strategy Chooser { get; }

        internal ckpt_activation_policy Native()
        {
            var policy = new ckpt_activation_policy();
            policy.kind = (int)Strategy;
            policy.interval = CheckpointInterval;
            policy.threshold_bytes = MemoryThreshold;
            policy.strategy = NativeObject.HandleOf(Chooser);
            return policy;
        }
    }
}
