using System;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using System.Linq;
using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>Stores the activations of a stage's micro-batches by a policy, and recomputes the others. Several threads
    /// may use it at once.</summary>
    public partial class ActivationManager : NativeObject
    {
        /// <summary>Creates a manager of a stage.</summary>
        /// <param name="policy">Which activations stay.</param>
        /// <param name="forward">The stage's forward, which takes an input (valid during the call only) and a micro-batch's number;
        /// null: nothing can be recomputed. If it throws, the call fails with CkptCallbackException.</param>
        /// <param name="options">null: the defaults.</param>
        public ActivationManager(ActivationPolicy policy, [AllowNull] Func<Tensor, int, Tensor> forward = null,
                                 [AllowNull] ActivationManagerOptions options = null)
            : this(CreatedWith((CallMemory memory, out IntPtr created) => native.ckpt_activation_manager_create(
                ActivationPolicy.Native(Given(policy, "policy"), memory), ActivationManagerOptions.Native(options, memory),
                forward == null ? null : new StageFunction { function = forward }, out created), native.ckpt_activation_manager_release))
        {
        }

        internal ActivationManager(NativeHandle handle) : base(handle) { }

        /// <summary>Stores an activation without a copy: its memory must not be written to any more, and this Tensor is disposed
        /// of.</summary>
        /// <param name="microBatch">From 0 on.</param>
        /// <param name="activation">Taken over, stored or not.</param>
        /// <returns>Whether it was stored.</returns>
        public bool StoreMoved(int microBatch, Tensor activation)
        {
            if (activation == null) throw new ArgumentNullException("activation");
            int kept;
            var reference = Taken(activation.Handle, native.ckpt_tensor_retain); // reference for the manager
            try
            {
                using (var lent = NativeHandle.Lent(reference))
                    native.ckpt_activation_manager_store_moved(Handle, microBatch, lent, out kept);
            }
            catch
            {
                native.ckpt_tensor_release(reference);
                throw;
            }
            activation.Dispose();
            return kept != 0;
        }

        /// <summary>Returns the exact bytes of the stored activations.</summary>
        /// <param name="count">Number of stored activations.</param>
        /// <returns>The bytes.</returns>
        public long GetMemoryUsage(out long count)
        {
            long bytes;
            native.ckpt_activation_manager_get_memory_usage(Handle, out bytes, out count);
            return bytes;
        }

        /// <summary>Returns information on one stored activation; null when it is not stored.</summary>
        /// <param name="microBatch">From 0 on.</param>
        /// <returns>Bytes, shape and time.</returns>
        [return: MaybeNull]
        public ActivationMetadata GetMetadata(int microBatch)
        {
            try
            {
                return ActivationMetadata.Filled(one => native.ckpt_activation_manager_get_metadata(Handle, microBatch, one));
            }
            catch (CkptNotFoundException)
            {
                return null;
            }
        }

        /// <summary>Returns a stored activation as a read-only tensor, which keeps its memory alive.</summary>
        /// <param name="microBatch">From 0 on.</param>
        /// <returns>The tensor, or null when none is stored.</returns>
        [return: MaybeNull]
        public Tensor GetActivation(int microBatch)
        {
            IntPtr activation;
            native.ckpt_activation_manager_get_activation(Handle, microBatch, out activation);
            return activation == IntPtr.Zero ? null : Tensor.Owning(activation);
        }

        /// <summary>Returns the stored micro-batches, ascending.</summary>
        /// <returns>All of them.</returns>
        public IReadOnlyList<int> List()
            => NativeList.Integers(native.ckpt_activation_manager_list(Handle)).Select(one => (int)one).ToArray();
    }
}
