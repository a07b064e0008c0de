using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>Stages that run a chain's steps, each on its own thread. Losses and gradients have the same bits as with one stage
    /// and the same micro-batches. While a step runs, other calls except Cancel throw CkptBusyException.</summary>
    public sealed unsafe partial class Pipeline : NativeObject
    {
        private readonly int microBatches;

        /// <summary>Cuts the chain, plans each stage and starts the threads.</summary>
        /// <param name="chain">Kept alive; not to be run by others while a step runs.</param>
        /// <param name="input">Dtype and shape of the whole batch.</param>
        /// <param name="options">The options of the pipeline.</param>
        public Pipeline(Chain chain, TensorSpec input, PipelineOptions options) : base(Created(chain, input, options))
        {
            microBatches = options.MicroBatches;
        }

        private static NativeHandle Created(Chain chain, TensorSpec input, PipelineOptions options)
        {
            if (input == null) throw new ArgumentNullException("input");
            if (options == null) throw new ArgumentNullException("options");
            using (var memory = new CallMemory())
            {
                var spec = input.Native;
                IntPtr pipeline;
                fixed (long* begins = options.Begins)
                    native.ckpt_pipeline_create(HandleOf(chain), (IntPtr)(&spec), PipelineOptions.Native(options, memory), begins,
                        options.Begins.Length, memory.Of(options.Schedules.Select(memory.Of)), options.Schedules.Length,
                        ActivationPolicy.Native(options.Policy, memory), out pipeline);
                return new NativeHandle(pipeline, native.ckpt_pipeline_release, true);
            }
        }

        /// <summary>Runs one step of the whole batch. After an error every buffer is returned and the next step works.</summary>
        /// <param name="step">The data of the step, of the whole batch's size.</param>
        /// <param name="timeout">How long to wait; null: no limit.</param>
        /// <returns>The mean loss, or NaN when the output is not a single number.</returns>
        public double Run(Step step, TimeSpan? timeout = null)
        {
            double[] losses;
            return Run(step, timeout, out losses);
        }

        /// <summary>Runs one step of the whole batch, and returns each micro-batch's loss.</summary>
        /// <param name="step">The data of the step, of the whole batch's size.</param>
        /// <param name="timeout">How long to wait; null: no limit.</param>
        /// <param name="losses">The loss of each micro-batch.</param>
        /// <returns>The mean loss.</returns>
        public double Run(Step step, TimeSpan? timeout, out double[] losses)
        {
            if (step == null) throw new ArgumentNullException("step");
            using (var memory = new CallMemory())
            {
                double loss;
                losses = NativeList.Created(native.ckpt_pipeline_run(Handle, Step.Native(step, memory), Times.Nanoseconds(timeout),
                    microBatches, out loss), at => *(double*)at);
                return loss;
            }
        }

        /// <summary>Runs one step of the whole batch, with a token.</summary>
        /// <param name="step">The data of the step, of the whole batch's size.</param>
        /// <param name="timeout">How long to wait; null: no limit.</param>
        /// <param name="cancellationToken">Ends the step with OperationCanceledException; the next one works.</param>
        /// <returns>The mean loss.</returns>
        public double Run(Step step, TimeSpan? timeout, CancellationToken cancellationToken)
        {
            cancellationToken.ThrowIfCancellationRequested();
            var gate = new object();
            var ended = false;
            // Cancels repeatedly, as the step may not have begun yet, and on another thread, as a layer may cancel the token.
            Action cancel = () =>
            {
                for (;; Thread.Sleep(1))
                    lock (gate)
                    {
                        if (ended) return;
                        Cancel();
                    }
            };
            using (cancellationToken.Register(() => Task.Run(cancel)))
            {
                try
                {
                    return Run(step, timeout);
                }
                catch (CkptCancelledException) when (cancellationToken.IsCancellationRequested)
                {
                    throw new OperationCanceledException(cancellationToken);
                }
                finally
                {
                    lock (gate) ended = true;
                }
            }
        }

        /// <summary>Returns the intervals of the last successful step, by stage, then by time.</summary>
        /// <param name="step">Duration of the step.</param>
        /// <returns>The intervals of all stages.</returns>
        public IReadOnlyList<PipelineInterval> GetTimeline(out TimeSpan step)
        {
            long nanoseconds;
            var intervals = NativeList.Created(native.ckpt_pipeline_get_timeline(Handle, out nanoseconds),
                at => *(PipelineInterval*)at);
            step = Times.OfNanoseconds(nanoseconds);
            return intervals;
        }
    }
}
