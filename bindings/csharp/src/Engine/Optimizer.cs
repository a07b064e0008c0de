using System;
using System.Collections.Generic;
using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>Updates a chain's parameters from their gradients. Use from one thread at a time.</summary>
    public sealed partial class Optimizer : NativeObject
    {
        /// <summary>Returns the learning rate of a step, for LearningRate before it.</summary>
        /// <param name="schedule">The schedule of all steps.</param>
        /// <param name="step">Number of the step, from 0.</param>
        /// <returns>The rate, at least 0.</returns>
        public static double LearningRateAt(LearningRateSchedule schedule, long step)
        {
            using (var memory = new CallMemory())
            {
                double rate;
                native.ckpt_learning_rate_at(LearningRateSchedule.Native(schedule, memory), step, out rate);
                return rate;
            }
        }

        /// <summary>Returns the state by name; the tensors share the optimizer's memory.</summary>
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
