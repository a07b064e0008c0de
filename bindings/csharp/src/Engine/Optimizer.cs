using System;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>Updates a chain's parameters from their gradients. One thread at a time.</summary>
    public sealed partial class Optimizer : NativeObject
    {
        private Optimizer(NativeHandle handle) : base(handle)
        {
        }

        /// <summary>v = momentum v + g; w = w - learningRate v.</summary>
        /// <param name="chain">Kept alive.</param>
        /// <param name="learningRate">Above 0.</param>
        /// <param name="momentum">At least 0, below 1.</param>
        /// <returns>The optimizer.</returns>
        public static Optimizer Sgd(Chain chain, double learningRate, double momentum = 0)
        {
            return new Optimizer(Made((out IntPtr made) => native.ckpt_optimizer_create_sgd(HandleOf(chain), learningRate, momentum,
                out made), native.ckpt_optimizer_release));
        }

        /// <summary>Adam with decoupled weight decay.</summary>
        /// <param name="chain">Kept alive.</param>
        /// <param name="options">null: the defaults.</param>
        /// <returns>The optimizer.</returns>
        public static Optimizer AdamW(Chain chain, [AllowNull] AdamWOptions options = null)
        {
            using (var memory = new CallMemory())
                return new Optimizer(Made((out IntPtr made) => native.ckpt_optimizer_create_adamw(HandleOf(chain),
                    AdamWOptions.Native(options, memory), out made), native.ckpt_optimizer_release));
        }

        /// <summary>Clips the gradients, updates once and sets them to 0, in one pass: a step that accumulates comes
        /// next.</summary>
        /// <param name="maxNorm">Above 0; infinity: they are not clipped.</param>
        /// <returns>The norm before.</returns>
        public double StepAndZero(double maxNorm = double.PositiveInfinity)
        {
            double norm;
            native.ckpt_optimizer_step_and_zero(Handle, maxNorm, out norm);
            return norm;
        }

        /// <summary>The size of the next steps, at least 0. It is not part of the state: set it again when a run is
        /// resumed.</summary>
        public double LearningRate
        {
            get { return Get<double>(native.ckpt_optimizer_get_learning_rate); }
            set { native.ckpt_optimizer_set_learning_rate(Handle, value); }
        }

        /// <summary>The rate of a step, for LearningRate before it.</summary>
        /// <param name="schedule">Of all steps.</param>
        /// <param name="step">From 0.</param>
        /// <returns>At least 0.</returns>
        public static double LearningRateAt(LearningRateSchedule schedule, long step)
        {
            using (var memory = new CallMemory())
            {
                double rate;
                native.ckpt_learning_rate_at(LearningRateSchedule.Native(schedule, memory), step, out rate);
                return rate;
            }
        }

        /// <summary>Updates so far; set it when state is restored.</summary>
        public long StepCount
        {
            get { return Get<long>(native.ckpt_optimizer_get_step_count); }
            set { native.ckpt_optimizer_set_step_count(Handle, value); }
        }

        /// <summary>The state by name; it shares the optimizer's memory.</summary>
        /// <returns>All tensors, in order.</returns>
        public IReadOnlyList<KeyValuePair<string, Tensor>> Tensors()
        {
            var count = Get<long>(native.ckpt_optimizer_get_tensor_count);
            var tensors = new List<KeyValuePair<string, Tensor>>();
            for (long i = 0; i < count; ++i)
            {
                IntPtr name, value;
                native.ckpt_optimizer_get_tensor(Handle, i, out name, out value);
                tensors.Add(new KeyValuePair<string, Tensor>(Utf8.Text(name), Tensor.Owning(value)));
            }
            GC.KeepAlive(this);
            return tensors;
        }
    }
}
