using System;
using System.Collections.Generic;
using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>Updates a chain's parameters from their gradients. One thread at a time.</summary>
    public sealed class Optimizer : NativeObject
    {
        private Optimizer(IntPtr optimizer) : base(new NativeHandle(optimizer, native.ckpt_optimizer_release))
        {
        }

        /// <summary>v = momentum v + g; w = w - learningRate v.</summary>
        /// <param name="chain">Kept alive.</param>
        /// <param name="learningRate">Above 0.</param>
        /// <param name="momentum">At least 0, below 1.</param>
        /// <returns>The optimizer.</returns>
        public static Optimizer Sgd(Chain chain, double learningRate, double momentum = 0)
        {
            IntPtr optimizer;
            native.ckpt_optimizer_create_sgd(HandleOf(chain), learningRate, momentum, out optimizer);
            return new Optimizer(optimizer);
        }

        /// <summary>Adam with decoupled weight decay.</summary>
        /// <param name="chain">Kept alive.</param>
        /// <param name="learningRate">Above 0.</param>
        /// <param name="beta1">At least 0, below 1.</param>
        /// <param name="beta2">At least 0, below 1.</param>
        /// <param name="epsilon">Above 0.</param>
        /// <param name="weightDecay">At least 0.</param>
        /// <returns>The optimizer.</returns>
        public static Optimizer AdamW(Chain chain, double learningRate = 1e-3, double beta1 = 0.9, double beta2 = 0.999,
            double epsilon = 1e-8,
                                      double weightDecay = 0.01)
        {
            using (var options = new ckpt_adamw_options())
            {
                options.learning_rate = learningRate;
                options.beta1 = beta1;
                options.beta2 = beta2;
                options.epsilon = epsilon;
                options.weight_decay = weightDecay;
                IntPtr optimizer;
                native.ckpt_optimizer_create_adamw(HandleOf(chain), options, out optimizer);
                return new Optimizer(optimizer);
            }
        }

        /// <summary>One update with the gradients as they are.</summary>
        public void Step()
        {
            native.ckpt_optimizer_step(Handle);
        }

        /// <summary>Updates so far; set it when state is restored.</summary>
        public long Steps
        {
            get
            {
                long steps;
                native.ckpt_optimizer_get_step_count(Handle, out steps);
                return steps;
            }
            set { native.ckpt_optimizer_set_step_count(Handle, value); }
        }

        /// <summary>The state by name; it shares the optimizer's memory.</summary>
        /// <returns>All tensors, in order.</returns>
        public IReadOnlyList<KeyValuePair<string, Tensor>> Tensors()
        {
            long count;
            native.ckpt_optimizer_get_tensor_count(Handle, out count);
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
