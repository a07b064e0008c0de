using System;
using Ckpt.Interop;

namespace Ckpt.Adaptive
{
    /// <summary>Checkpoints after tasks that take a large enough share of the longest one, while it has slots; moves that share by
    /// what recoveries saved. One thread at a time.</summary>
    public sealed class ThresholdPolicy : NativeObject
    {
        /// <summary>A rule.</summary>
        /// <param name="threshold">Its first value, 0.05 .. 1.</param>
        /// <param name="learningRate">Above 0, at most 1.</param>
        /// <param name="budget">Checkpoints of a run.</param>
        public ThresholdPolicy(double threshold = 0.35, double learningRate = 0.1, long budget = 3)
            : base(Made(threshold, learningRate, budget))
        {
        }

        private static NativeHandle Made(double first, double learningRate, long budget)
        {
            using (var options = new ckpt_threshold_options())
            {
                options.threshold = first;
                options.learning_rate = learningRate;
                options.budget = budget;
                IntPtr threshold;
                native.ckpt_threshold_create(options, out threshold);
                return new NativeHandle(threshold, native.ckpt_threshold_release);
            }
        }

        /// <summary>A task took this long.</summary>
        /// <param name="name">Not blank, at most 95 bytes.</param>
        /// <param name="seconds">At least 0.</param>
        public void ObserveTask(string name, double seconds)
        {
            native.ckpt_threshold_observe_task(Handle, name, seconds);
        }

        /// <summary>Whether a checkpoint is worth it; a yes consumes a slot.</summary>
        /// <param name="name">Of the task.</param>
        /// <param name="costSeconds">How long it took.</param>
        /// <returns>True: checkpoint.</returns>
        public bool ShouldCheckpoint(string name, double costSeconds)
        {
            int yes;
            native.ckpt_threshold_should_checkpoint(Handle, name, costSeconds, out yes);
            return yes != 0;
        }

        /// <summary>Learns from a recovery.</summary>
        /// <param name="recoverySecondsSaved">Work that need not be done again.</param>
        /// <param name="checkpointOverheadSeconds">What the checkpoint had cost.</param>
        public void AdjustPolicy(double recoverySecondsSaved, double checkpointOverheadSeconds)
        {
            native.ckpt_threshold_adjust_policy(Handle, recoverySecondsSaved, checkpointOverheadSeconds);
        }

        /// <summary>All slots are free again; threshold and longest task stay.</summary>
        public void BeginRun()
        {
            native.ckpt_threshold_begin_run(Handle);
        }

        /// <summary>What it knows.</summary>
        /// <returns>The numbers.</returns>
        public ThresholdInfo GetInfo()
        {
            using (var info = new ckpt_threshold_info())
            {
                native.ckpt_threshold_get_info(Handle, info);
                return new ThresholdInfo(info);
            }
        }

        /// <summary>A task that was observed.</summary>
        /// <param name="index">0, the oldest remembered, .. Tasks - 1.</param>
        /// <returns>The task.</returns>
        public ObservedTask Task(long index)
        {
            using (var task = new ckpt_task_observation())
            {
                native.ckpt_threshold_task(Handle, index, task);
                return new ObservedTask(task);
            }
        }
    }
}
