using System;
using System.Diagnostics.CodeAnalysis;
using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>Runs one schedule over one chain for one input shape, step after step. Losses and gradients are bit for bit those
    /// of store-all. One thread at a time.</summary>
    public sealed unsafe partial class ScheduleExecutor : NativeObject
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
