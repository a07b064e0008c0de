using System;
using System.Diagnostics.CodeAnalysis;
using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>Runs one schedule over one chain for one input shape, step after step. Losses and gradients are bit for bit those
    /// of store-all. One thread at a time.</summary>
    public sealed unsafe class Executor : NativeObject
    {
        /// <summary>Verifies the schedule, places its buffers and reserves the memory.</summary>
        /// <param name="chain">Kept alive.</param>
        /// <param name="schedule">Kept alive.</param>
        /// <param name="input">Dtype and shape of every step's input.</param>
        /// <param name="budgetBytes">CheckpointOverBudgetException when more would be reserved; 0: no budget.</param>
        /// <param name="pool">Its threads, kept alive; null: as many as the process may use.</param>
        /// <param name="tracker">Learns of every buffer, kept alive; null: one of its own.</param>
        /// <param name="follower">Its strategy learns which layers run, and of the live bytes; null: none does.</param>
        public Executor(Chain chain, Schedule schedule, TensorSpec input, long budgetBytes = 0, [AllowNull] WorkerPool pool = null,
                        [AllowNull] MemoryTracker tracker = null, [AllowNull] Follower follower = null)
            : base(Made(chain, schedule, input, budgetBytes, pool, tracker, follower))
        {
        }

        private static NativeHandle Made(Chain chain, Schedule schedule, TensorSpec input, long budgetBytes, WorkerPool pool,
                                         MemoryTracker tracker, Follower follower)
        {
            if (input == null) throw new ArgumentNullException("input");
            using (var options = new ckpt_schedule_executor_options())
            {
                options.budget_bytes = budgetBytes;
                options.pool = HandleOf(pool);
                options.tracker = HandleOf(tracker);
                options.follower = HandleOf(follower);
                var spec = input.Native;
                IntPtr executor;
                native.ckpt_schedule_executor_create(HandleOf(chain), HandleOf(schedule), (IntPtr)(&spec), options, out executor);
                GC.KeepAlive(pool);
                GC.KeepAlive(tracker);
                GC.KeepAlive(follower);
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
            using (var given = step.Native())
            {
                double loss;
                native.ckpt_schedule_executor_run(Handle, given, out loss);
                GC.KeepAlive(step);
                return loss;
            }
        }

        /// <summary>What it measured since it was made.</summary>
        /// <returns>The numbers.</returns>
        public ExecutorStats GetStats()
        {
            using (var stats = new ckpt_schedule_executor_stats())
            {
                native.ckpt_schedule_executor_get_stats(Handle, stats);
                return new ExecutorStats(stats);
            }
        }
    }
}
