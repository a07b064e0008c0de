using System;
using System.Diagnostics.CodeAnalysis;

namespace Ckpt.Compat
{
    /// <summary>An ActivationManager with the names of the reference API.</summary>
    public sealed class ActivationCheckpointManager : ActivationManager
    {
        /// <summary>Creates a manager of a stage.</summary>
        /// <param name="strategy">StoreAll, RecomputeAll, Selective or MemoryBased.</param>
        /// <param name="forward">The stage's forward; null: nothing can be recomputed.</param>
        /// <param name="checkpointInterval">Selective: stores every n-th micro-batch; 0 stores all, like 1.</param>
        /// <param name="memoryThreshold">MemoryBased: bytes.</param>
        public ActivationCheckpointManager(CheckpointStrategy strategy, [AllowNull] Func<Tensor, int, Tensor> forward = null,
                                           long checkpointInterval = 1, long memoryThreshold = 1024 * 1024 * 1024)
            : base(new ActivationPolicy
            {
                Kind = KindOf(strategy), Interval = checkpointInterval, ThresholdBytes = memoryThreshold,
            }, forward)
        {
            Strategy = strategy;
        }

        private static ActivationPolicyKind KindOf(CheckpointStrategy strategy)
        {
            switch (strategy)
            {
                case CheckpointStrategy.StoreAll: return ActivationPolicyKind.StoreAll;
                case CheckpointStrategy.RecomputeAll: return ActivationPolicyKind.RecomputeAll;
                case CheckpointStrategy.Selective: return ActivationPolicyKind.Selective;
                case CheckpointStrategy.MemoryBased: return ActivationPolicyKind.MemoryBased;
                default:
                    throw new CkptInvalidArgumentException("strategy " + strategy + ": expected one that chooses micro-batches");
            }
        }

        /// <summary>The strategy passed to the constructor.</summary>
        public CheckpointStrategy Strategy { get; }

        /// <summary>Store.</summary>
        /// <param name="microBatchIndex">From 0 on.</param>
        /// <param name="activation">Stays the caller's.</param>
        /// <returns>True: stored.</returns>
        public bool StoreActivation(int microBatchIndex, Tensor activation)
        {
            return Store(microBatchIndex, activation);
        }

        /// <summary>Recompute.</summary>
        /// <param name="input">Input of the stage.</param>
        /// <param name="microBatchIndex">From 0 on.</param>
        /// <returns>The result of the stage's forward.</returns>
        public Tensor RecomputeActivation(Tensor input, int microBatchIndex)
        {
            return Recompute(input, microBatchIndex);
        }

        /// <summary>GetOrCompute.</summary>
        /// <param name="input">Input of the stage.</param>
        /// <param name="microBatchIndex">From 0 on.</param>
        /// <returns>The activation.</returns>
        public Tensor GetOrComputeActivation(Tensor input, int microBatchIndex)
        {
            return GetOrCompute(input, microBatchIndex);
        }

        /// <summary>GetMemoryUsage.</summary>
        /// <returns>The bytes.</returns>
        public long EstimateMemoryUsage()
        {
            long count;
            return GetMemoryUsage(out count);
        }

        /// <summary>Number of stored activations.</summary>
        public long CheckpointCount
        {
            get
            {
                long count;
                GetMemoryUsage(out count);
                return count;
            }
        }
    }

    /// <summary>ActivationMetadata, which converts to it.</summary>
    public sealed class CheckpointMetadata
    {
        private CheckpointMetadata(ActivationMetadata from)
        {
            MicroBatchIndex = from.MicroBatch;
            MemorySize = from.Bytes;
            Timestamp = from.StoredUtc;
            Shape = from.Shape;
        }

        /// <summary>The same values under these names.</summary>
        /// <param name="from">The result of ActivationManager.GetMetadata.</param>
        public static implicit operator CheckpointMetadata([AllowNull] ActivationMetadata from)
        {
            return from == null ? null : new CheckpointMetadata(from);
        }

        /// <summary>MicroBatch.</summary>
        public int MicroBatchIndex { get; }

        /// <summary>Bytes.</summary>
        public long MemorySize { get; }

        /// <summary>StoredUtc.</summary>
        public DateTime Timestamp { get; }

        /// <summary>Its shape.</summary>
        public long[] Shape { get; }
    }
}
