using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>How a background task stands. The last four are ends, which never change.</summary>
    public enum CheckpointTaskStatus
    {
        /// <summary>Admitted; being copied, or waiting for a worker or its gate.</summary>
        Queued = native.CKPT_CHECKPOINT_TASK_STATE_QUEUED,
        /// <summary>A worker has begun.</summary>
        Running = native.CKPT_CHECKPOINT_TASK_STATE_RUNNING,
        /// <summary>A save is durable; a load has filled the state.</summary>
        Completed = native.CKPT_CHECKPOINT_TASK_STATE_COMPLETED,
        /// <summary>Its result tells why.</summary>
        Failed = native.CKPT_CHECKPOINT_TASK_STATE_FAILED,
        /// <summary>Nothing of it stays.</summary>
        Cancelled = native.CKPT_CHECKPOINT_TASK_STATE_CANCELLED,
        /// <summary>Refused because the queue was full, or dropped for a newer one.</summary>
        Rejected = native.CKPT_CHECKPOINT_TASK_STATE_REJECTED,
    }
}
