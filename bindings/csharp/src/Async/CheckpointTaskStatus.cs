using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>How a background task stands. The last four are ends, which never change.</summary>
    public enum CheckpointTaskStatus
    {
        /// <summary>Admitted; being copied, or waiting for a worker or its gate.</summary>
        Queued = native.CKPT_ASYNC_QUEUED,
        /// <summary>A worker has begun.</summary>
        Running = native.CKPT_ASYNC_RUNNING,
        /// <summary>A save is durable; a load has filled the state.</summary>
        Completed = native.CKPT_ASYNC_COMPLETED,
        /// <summary>Its result tells why.</summary>
        Failed = native.CKPT_ASYNC_FAILED,
        /// <summary>Nothing of it stays.</summary>
        Cancelled = native.CKPT_ASYNC_CANCELLED,
        /// <summary>Refused because the queue was full, or dropped for a newer one.</summary>
        Rejected = native.CKPT_ASYNC_REJECTED,
    }
}
