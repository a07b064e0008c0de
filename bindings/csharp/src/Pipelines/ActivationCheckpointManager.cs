using System;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using Ckpt.Interop;

namespace Ckpt.Pipelines
{
    /// <summary>Stores the activations of a stage's micro-batches as a policy says, and computes the others again. Several threads
    /// may use it at once.</summary>
    public sealed class ActivationCheckpointManager : NativeObject
    {
        /// <summary>A manager of a stage.</summary>
        /// <param name="strategy">Which activations stay.</param>
        /// <param name="forward">The stage's forward of an input (valid during the call only) and a micro-batch's number; null:
        /// nothing can be recomputed. What it throws makes the call fail with CheckpointCallbackException.</param>
        /// <param name="checkpointInterval">Selective: every so many-th; 0 stores all, like 1.</param>
        /// <param name="memoryThreshold">MemoryBased: bytes.</param>
        public ActivationCheckpointManager(CheckpointStrategy strategy, [AllowNull] Func<Tensor, long, Tensor> forward = null,
                                           long checkpointInterval = 1, long memoryThreshold = 1024 * 1024 * 1024)
            : this(new ActivationPolicy(strategy, checkpointInterval, memoryThreshold), forward)
        {
        }

        /// <summary>A manager of a stage.</summary>
        /// <param name="policy">Which activations stay.</param>
        /// <param name="forward">The stage's forward, as above.</param>
        /// <param name="name">The stage's: strategies are asked with it, the tracker counts under it.</param>
        /// <param name="tracker">Kept alive; null: one of its own.</param>
        /// <param name="clock">Dates what is stored, kept alive; null: the monotonic clock.</param>
        public ActivationCheckpointManager(ActivationPolicy policy, [AllowNull] Func<Tensor, long, Tensor> forward = null,
            string name = "stage",
                                           [AllowNull] MemoryTracker tracker = null, [AllowNull] Clock clock = null)
            : this(Made(policy, forward, name, tracker, clock))
        {
        }

        internal ActivationCheckpointManager(NativeHandle handle) : base(handle)
        {
        }

        private static NativeHandle Made(ActivationPolicy policy, Func<Tensor, long, Tensor> forward, string name,
            MemoryTracker tracker,
                                         Clock clock)
        {
            if (policy == null) throw new ArgumentNullException("policy");
            using (var texts = new TextMemory())
            using (var options = new ckpt_activation_manager_options())
            using (var given = policy.Native())
            {
                options.name = texts.Of(name);
                options.tracker = HandleOf(tracker);
                options.clock = HandleOf(clock);
                IntPtr manager;
                native.ckpt_activation_manager_create(given, options, forward == null ? null : new StageFunction(forward),
                    out manager);
                GC.KeepAlive(policy);
                GC.KeepAlive(tracker);
                GC.KeepAlive(clock);
                return new NativeHandle(manager, native.ckpt_activation_manager_release);
            }
        }

        /// <summary>The kind of policy in force: under Automatic the one that was picked.</summary>
        public CheckpointStrategy Strategy
        {
            get { return Policy.Strategy; }
        }

        /// <summary>The policy in force; setting it changes what is stored from now on.</summary>
        public ActivationPolicy Policy
        {
            get
            {
                using (var policy = new ckpt_activation_policy())
                {
                    native.ckpt_activation_manager_get_policy(Handle, policy);
                    return new ActivationPolicy(policy);
                }
            }
            set
            {
                if (value == null) throw new ArgumentNullException("value");
                using (var policy = value.Native()) native.ckpt_activation_manager_set_policy(Handle, policy);
                GC.KeepAlive(value);
            }
        }

        /// <summary>Clears, and says how many micro-batches the step has.</summary>
        /// <param name="microBatches">null: not known; then the newest counts as the last.</param>
        public void BeginStep(long? microBatches)
        {
            native.ckpt_activation_manager_begin_step(Handle, microBatches ?? -1);
        }

        /// <summary>Whether a store of so many bytes would be kept now.</summary>
        /// <param name="microBatchIndex">From 0 on.</param>
        /// <param name="bytes">Of the activation.</param>
        /// <returns>True: it would.</returns>
        public bool ShouldCheckpoint(long microBatchIndex, long bytes = 0)
        {
            int answer;
            native.ckpt_activation_manager_should_checkpoint(Handle, microBatchIndex, bytes, out answer);
            return answer != 0;
        }

        /// <summary>Asks the policy, and keeps a copy of the activation if it says so.</summary>
        /// <param name="microBatchIndex">From 0 on; what was stored of it is replaced.</param>
        /// <param name="activation">Stays the caller's.</param>
        /// <returns>True: kept.</returns>
        public bool StoreActivation(long microBatchIndex, Tensor activation)
        {
            int kept;
            native.ckpt_activation_manager_store(Handle, microBatchIndex, HandleOf(activation), out kept);
            return kept != 0;
        }

        /// <summary>The same without a copy: nobody may write to the tensor any more, and this object of it is disposed
        /// of.</summary>
        /// <param name="microBatchIndex">From 0 on.</param>
        /// <param name="activation">Given up, kept or not.</param>
        /// <returns>True: kept.</returns>
        public bool StoreGivenUpActivation(long microBatchIndex, Tensor activation)
        {
            if (activation == null) throw new ArgumentNullException("activation");
            int kept;
            var reference = activation.Taken(native.ckpt_tensor_retain); // the manager takes this one
            try
            {
                using (var lent = new NativeHandle(reference, handle => { }))
                    native.ckpt_activation_manager_store_moved(Handle, microBatchIndex, lent, out kept);
            }
            catch
            {
                native.ckpt_tensor_release(reference);
                throw;
            }
            activation.Dispose();
            return kept != 0;
        }

        /// <summary>What is stored: a read-only tensor whose memory lives as long as it.</summary>
        /// <param name="microBatchIndex">From 0 on.</param>
        /// <returns>The tensor, or null when nothing is stored.</returns>
        [return: MaybeNull]
        public Tensor GetActivation(long microBatchIndex)
        {
            IntPtr activation;
            native.ckpt_activation_manager_get_activation(Handle, microBatchIndex, out activation);
            return activation == IntPtr.Zero ? null : Tensor.Owning(activation);
        }

        /// <summary>Whether the activation is stored.</summary>
        /// <param name="microBatchIndex">From 0 on.</param>
        /// <returns>True: it is.</returns>
        public bool HasActivation(long microBatchIndex)
        {
            int has;
            native.ckpt_activation_manager_has_activation(Handle, microBatchIndex, out has);
            return has != 0;
        }

        /// <summary>Runs the stage's forward; nothing is stored. CheckpointInvalidStateException without a forward.</summary>
        /// <param name="input">Of the stage.</param>
        /// <param name="microBatchIndex">From 0 on.</param>
        /// <returns>What it gave.</returns>
        public Tensor RecomputeActivation(Tensor input, long microBatchIndex)
        {
            IntPtr activation;
            native.ckpt_activation_manager_recompute(Handle, HandleOf(input), microBatchIndex, out activation);
            return Tensor.Owning(activation);
        }

        /// <summary>What is stored, or else what the stage's forward gives.</summary>
        /// <param name="input">Of the stage; read in the second case only.</param>
        /// <param name="microBatchIndex">From 0 on.</param>
        /// <returns>The activation.</returns>
        public Tensor GetOrComputeActivation(Tensor input, long microBatchIndex)
        {
            IntPtr activation;
            native.ckpt_activation_manager_get_or_compute(Handle, HandleOf(input), microBatchIndex, out activation);
            return Tensor.Owning(activation);
        }

        /// <summary>Lets go of all that is stored.</summary>
        public void Clear()
        {
            native.ckpt_activation_manager_clear(Handle);
        }

        /// <summary>Exact bytes of what is stored.</summary>
        /// <returns>The bytes.</returns>
        public long EstimateMemoryUsage()
        {
            long bytes, count;
            native.ckpt_activation_manager_get_memory_usage(Handle, out bytes, out count);
            return bytes;
        }

        /// <summary>Activations that are stored.</summary>
        public long CheckpointCount
        {
            get
            {
                long bytes, count;
                native.ckpt_activation_manager_get_memory_usage(Handle, out bytes, out count);
                return count;
            }
        }

        /// <summary>What is known of one stored activation; null when it is not stored.</summary>
        /// <param name="microBatchIndex">From 0 on.</param>
        /// <returns>Bytes, shape and when.</returns>
        [return: MaybeNull]
        public CheckpointMetadata GetMetadata(long microBatchIndex)
        {
            using (var metadata = new ckpt_activation_metadata())
            {
                try
                {
                    native.ckpt_activation_manager_get_metadata(Handle, microBatchIndex, metadata);
                }
                catch (CheckpointNotFoundException)
                {
                    return null;
                }
                return new CheckpointMetadata(metadata);
            }
        }

        /// <summary>The stored micro-batches, ascending.</summary>
        /// <returns>All of them.</returns>
        public IReadOnlyList<long> StoredMicroBatches()
        {
            using (var list = new NativeList(native.ckpt_activation_manager_list(Handle))) return list.Integers();
        }
    }
}
