using System;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>Checkpoints after tasks that take a large enough share of the longest one, while it has slots; moves that share by
    /// what recoveries saved. One thread at a time.</summary>
    public sealed class Threshold : NativeObject
    {
        /// <summary>A rule.</summary>
        /// <param name="options">null: the defaults.</param>
        public Threshold([AllowNull] ThresholdOptions options = null) : base(Made(options))
        {
        }

        private static NativeHandle Made(ThresholdOptions options)
        {
            using (var memory = new CallMemory())
                return Made((out IntPtr made) => native.ckpt_threshold_create(ThresholdOptions.Native(options, memory), out made),
                    native.ckpt_threshold_release);
        }

        /// <summary>A task took this long.</summary>
        /// <param name="name">Not blank, at most 95 bytes.</param>
        /// <param name="seconds">At least 0.</param>
        public void ObserveTask(string name, double seconds)
        {
            native.ckpt_threshold_observe_task(Handle, name, seconds);
        }

        /// <summary>A task failed after this long: it counts as observed, and is marked.</summary>
        /// <param name="name">Not blank, at most 95 bytes.</param>
        /// <param name="seconds">At least 0.</param>
        public void ObserveFailure(string name, double seconds)
        {
            native.ckpt_threshold_observe_failure(Handle, name, seconds);
        }

        /// <summary>Whether a checkpoint is worth it; a yes consumes a slot.</summary>
        /// <param name="name">Of the task.</param>
        /// <param name="costSeconds">How long it took.</param>
        /// <returns>True: checkpoint.</returns>
        public bool ShouldCheckpoint(string name, double costSeconds)
        {
            return Yes((out int answer) => native.ckpt_threshold_should_checkpoint(Handle, name, costSeconds, out answer));
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
            return ThresholdInfo.Filled(info => native.ckpt_threshold_get_info(Handle, info));
        }

        /// <summary>The tasks that were observed, the oldest that is remembered first.</summary>
        /// <returns>All of them.</returns>
        public IReadOnlyList<TaskObservation> ListTasks()
        {
            return NativeList.Made(native.ckpt_threshold_list_tasks(Handle),
                at => new TaskObservation(new ckpt_task_observation(at, false)));
        }
    }
}
