using System;
using System.Diagnostics.CodeAnalysis;
using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>How a background task ended.</summary>
    public sealed class CheckpointTaskResult
    {
        internal CheckpointTaskResult(ckpt_checkpoint_task_result from)
        {
            Id = from.id;
            Type = (CheckpointTaskType)from.kind;
            Status = (CheckpointTaskStatus)from.state;
            ErrorStatus = (CkptStatus)from.status;
            CheckpointPath = from.name.Length == 0 ? null : from.name;
            Error = from.error.Length == 0 ? null : from.error;
            Step = from.step;
            BytesWritten = from.bytes;
            Retries = from.retries;
            Duration = Times.OfSeconds(from.duration_seconds);
            Stall = Times.OfSeconds(from.stall_seconds);
            DurableAfter = Times.OfSeconds(from.durable_seconds);
        }

        /// <summary>Of the task.</summary>
        public long Id { get; }

        /// <summary>What it did.</summary>
        public CheckpointTaskType Type { get; }

        /// <summary>One of the ends.</summary>
        public CheckpointTaskStatus Status { get; }

        /// <summary>Ok when completed, else why not.</summary>
        public CkptStatus ErrorStatus { get; }

        /// <summary>The checkpoint's directory in the storage; null unless completed.</summary>
        [MaybeNull]
        public string CheckpointPath { get; }

        /// <summary>One line; null when completed.</summary>
        [MaybeNull]
        public string Error { get; }

        /// <summary>That was saved or loaded.</summary>
        public long Step { get; }

        /// <summary>Of the files that are durable, or that were loaded; 0 unless completed.</summary>
        public long BytesWritten { get; }

        /// <summary>Operations that were tried again.</summary>
        public long Retries { get; }

        /// <summary>From the worker's begin to the end.</summary>
        public TimeSpan Duration { get; }

        /// <summary>That the call which made it kept its caller.</summary>
        public TimeSpan Stall { get; }

        /// <summary>From that call until it was durable; 0 unless completed.</summary>
        public TimeSpan DurableAfter { get; }

        /// <summary>Whether it completed.</summary>
        public bool Success
        {
            get { return Status == CheckpointTaskStatus.Completed; }
        }

        // What awaiting the task throws unless it was cancelled.
        internal CkptException Exception()
        {
            return CkptException.Of((int)ErrorStatus, Error ?? "");
        }
    }
}
