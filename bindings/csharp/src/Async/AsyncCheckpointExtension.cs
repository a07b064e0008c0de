namespace Ckpt
{
    /// <summary>Managers of background tasks from checkpoints.</summary>
    public static class AsyncCheckpointExtension
    {
        /// <summary>A manager for these checkpoints.</summary>
        /// <param name="checkpoint">Kept alive.</param>
        /// <param name="maxQueueSize">Tasks that have not ended, at most.</param>
        /// <returns>The manager; dispose of it.</returns>
        public static AsyncCheckpointManager CreateAsyncManager(this Checkpoint checkpoint, int maxQueueSize = 10)
        {
            return new AsyncCheckpointManager(checkpoint, maxQueueSize);
        }
    }
}
