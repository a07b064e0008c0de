using System;
using System.Diagnostics.CodeAnalysis;
using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>How one background task is done.</summary>
    public sealed class CheckpointTaskOptions
    {
        /// <summary>The library's defaults.</summary>
        public CheckpointTaskOptions()
        {
            using (var defaults = new ckpt_checkpoint_task_options())
            {
                Mode = (StagingMode)defaults.mode;
                WhenFull = (WhenQueueFull)defaults.when_full;
                Priority = (CheckpointPriority)defaults.priority;
            }
        }

        /// <summary>How the bytes of a save are taken; Copy by default.</summary>
        public StagingMode Mode { get; set; }

        /// <summary>When the queue has no place; Refuse by default.</summary>
        public WhenQueueFull WhenFull { get; set; }

        /// <summary>Which tasks go first.</summary>
        public CheckpointPriority Priority { get; set; }

        /// <summary>Of WhenQueueFull.Wait; null: for ever.</summary>
        public TimeSpan? Timeout { get; set; }

        /// <summary>No worker begins before EndStep of this step or a later one; null: no gate.</summary>
        public long? GateStep { get; set; }

        /// <summary>Reads the tensors instead of the library, for memory that it cannot read; null: memory. Not with
        /// Borrow.</summary>
        [MaybeNull, AllowNull]
        public CheckpointSource Source { get; set; }

        internal ckpt_checkpoint_task_options Native()
        {
            var options = new ckpt_checkpoint_task_options();
            options.mode = (int)Mode;
            options.when_full = (int)WhenFull;
            options.priority = (int)Priority;
            options.timeout_ns = Times.Nanoseconds(Timeout);
            options.gate_step = GateStep ?? -1;
            return options;
        }
    }
}
