using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>What a save or load does when the queue has no place.</summary>
    public enum WhenQueueFull
    {
        /// <summary>CheckpointQueueFullException at once.</summary>
        Refuse = native.CKPT_WHEN_FULL_REFUSE,
        /// <summary>Waits for a place, then CheckpointQueueFullException.</summary>
        Wait = native.CKPT_WHEN_FULL_WAIT,
        /// <summary>The oldest task that no worker has begun ends Rejected.</summary>
        DropOldest = native.CKPT_WHEN_FULL_DROP_OLDEST,
    }
}
