using System;
using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>How a background task stands at one moment.</summary>
    public sealed class CheckpointTaskInfo
    {
        internal CheckpointTaskInfo(ckpt_checkpoint_task_info from)
        {
            Id = from.id;
            Type = (CheckpointTaskType)from.kind;
            Status = (CheckpointTaskStatus)from.state;
            IsStaged = from.staged != 0;
            Step = from.step < 0 ? (long?)null : from.step;
            DoneBytes = from.done_bytes;
            TotalBytes = from.total_bytes;
            QueuedAt = At(from.queued_at_ns);
            StartedAt = from.started_at_ns == 0 ? (DateTime?)null : At(from.started_at_ns);
            CompletedAt = from.ended_at_ns == 0 ? (DateTime?)null : At(from.ended_at_ns);
        }

        /// <summary>Of the task.</summary>
        public long Id { get; }

        /// <summary>What it does.</summary>
        public CheckpointTaskType Type { get; }

        /// <summary>How it stands.</summary>
        public CheckpointTaskStatus Status { get; }

        /// <summary>Whether the tensors of a save may be written.</summary>
        public bool IsStaged { get; }

        /// <summary>To be saved; null for a load.</summary>
        public long? Step { get; }

        /// <summary>Written so far.</summary>
        public long DoneBytes { get; }

        /// <summary>To be written; 0 for a load.</summary>
        public long TotalBytes { get; }

        /// <summary>When it was admitted, in UTC.</summary>
        public DateTime QueuedAt { get; }

        /// <summary>When a worker began; null: not yet.</summary>
        public DateTime? StartedAt { get; }

        /// <summary>When it ended; null: not yet.</summary>
        public DateTime? CompletedAt { get; }

        /// <summary>From StartedAt to CompletedAt; null unless both are there.</summary>
        public TimeSpan? Duration
        {
            get { return CompletedAt - StartedAt; }
        }

        private static DateTime At(long monotonicNanoseconds)
        {
            return DateTime.UtcNow - Times.OfNanoseconds(Library.MonotonicNanoseconds - monotonicNanoseconds);
        }
    }
}
