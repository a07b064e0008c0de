using System;
using System.Diagnostics.CodeAnalysis;
using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>Runs one schedule over one chain for one input shape, step after step. Losses and gradients are bit for bit those
    /// of store-all. One thread at a time.</summary>
    public sealed unsafe class ScheduleExecutor : NativeObject
    {
        /// <summary>Verifies the schedule, places its buffers and reserves the memory.</summary>
        /// <param name="chain">Kept alive.</param>
        /// <param name="schedule">Kept alive.</param>
        /// <param name="input">Element type and shape of every step's input.</param>
        /// <param name="options">null: the defaults.</param>
        public ScheduleExecutor(Chain chain, Schedule schedule, TensorSpec input,
                                [AllowNull] ScheduleExecutorOptions options = null)
            : base(Made(chain, schedule, input, options))
        {
        }

        private static NativeHandle Made(Chain chain, Schedule schedule, TensorSpec input, ScheduleExecutorOptions options)
        {
            if (input == null) throw new ArgumentNullException("input");
            using (var memory = new CallMemory())
            {
                var spec = input.Native;
                IntPtr executor;
                native.ckpt_schedule_executor_create(HandleOf(chain), HandleOf(schedule), (IntPtr)(&spec),
                    ScheduleExecutorOptions.Native(options, memory), out executor);
                return new NativeHandle(executor, native.ckpt_schedule_executor_release, true);
            }
        }

        /// <summary>Runs the schedule once: forward, backward. After an error the next step works; gradients are undefined until
        /// one that does not accumulate.</summary>
        /// <param name="step">Its data.</param>
        /// <returns>The loss, or NaN where the output has more than one element.</returns>
        public double Run(Step step)
        {
            if (step == null) throw new ArgumentNullException("step");
            using (var memory = new CallMemory())
            {
                double loss;
                native.ckpt_schedule_executor_run(Handle, Step.Native(step, memory), out loss);
                return loss;
            }
        }

        /// <summary>Runs the first layers forward once, without dropping anything and without gradients.</summary>
        /// <param name="step">Its data.</param>
        /// <param name="layers">How many, at least 1.</param>
        /// <returns>Their output, or NaN where it has more than one element.</returns>
        public double Evaluate(Step step, long layers)
        {
            if (step == null) throw new ArgumentNullException("step");
            using (var memory = new CallMemory())
            {
                double result;
                native.ckpt_schedule_executor_evaluate(Handle, Step.Native(step, memory), layers, out result);
                return result;
            }
        }

        /// <summary>A copy of a profile with the seconds that the layers took in the last steps.</summary>
        /// <param name="profile">Of the chain and the input.</param>
        /// <returns>What the schedule does not run is as it was.</returns>
        public Profile Refine(Profile profile)
        {
            return Profile.Owned((out IntPtr made) => native.ckpt_schedule_executor_refine(Handle, HandleOf(profile), out made));
        }

        /// <summary>What it measured since it was made.</summary>
        /// <returns>The numbers.</returns>
        public ScheduleExecutorStats GetStats()
        {
            return ScheduleExecutorStats.Filled(stats => native.ckpt_schedule_executor_get_stats(Handle, stats));
        }
    }

    public sealed unsafe partial class Step
    {
        /// <summary>A step.</summary>
        /// <param name="input">What the chain reads.</param>
        /// <param name="targets">What a loss layer compares with; null when none needs it.</param>
        public Step(Tensor input, [AllowNull] Tensor targets = null)
        {
            Input = input;
            Targets = targets;
        }
    }
}
