using System;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using System.Threading;
using System.Threading.Tasks;
using Ckpt.Interop;

namespace Ckpt.Compat
{
    /// <summary>The result of a task.</summary>
    public sealed class CheckpointTaskResult
    {
        internal CheckpointTaskResult(Ckpt.CheckpointTaskResult from)
        {
            Id = from.Id;
            Status = (CheckpointTaskStatus)from.State;
            Success = from.Success;
            CheckpointPath = from.CheckpointPath;
            Error = from.Success ? null : from.Error;
            Duration = from.Duration;
            BytesWritten = from.Bytes;
        }

        /// <summary>The task's number.</summary>
        public long Id { get; }

        /// <summary>Completed, Failed, Cancelled or Rejected.</summary>
        public CheckpointTaskStatus Status { get; }

        /// <summary>Whether it completed.</summary>
        public bool Success { get; }

        /// <summary>Name of the checkpoint, which is its directory in the storage; null unless completed.</summary>
        [MaybeNull]
        public string CheckpointPath { get; }

        /// <summary>The reason why it did not complete; null when completed.</summary>
        [MaybeNull]
        public string Error { get; }

        /// <summary>From the start of the task on a worker to its end; 0 when it did not start.</summary>
        public TimeSpan Duration { get; }

        /// <summary>Bytes of the files that are durable; 0 unless completed.</summary>
        public long BytesWritten { get; }
    }

    /// <summary>AsyncManager with the methods of the reference API.</summary>
    public sealed class AsyncCheckpointManager : AsyncManager
    {
        /// <summary>Creates a manager with a queue of at most maxQueueSize tasks; others are refused.</summary>
        /// <param name="checkpoint">Where to save; kept alive.</param>
        /// <param name="maxQueueSize">The most tasks that have not ended.</param>
        public AsyncCheckpointManager(CheckpointManager checkpoint, int maxQueueSize = 10)
            : base(checkpoint, new AsyncManagerOptions { Capacity = maxQueueSize })
        {
        }

        /// <summary>Saves a model and its optimizer. Throws CheckpointQueueFullException at once when the queue is full.</summary>
        /// <param name="model">Lists the model.</param>
        /// <param name="optimizer">Lists the optimizer; null: none.</param>
        /// <param name="options">null: the defaults, step 0.</param>
        /// <returns>The task's number.</returns>
        public long QueueSaveAsync(IStateful model, [AllowNull] IStateful optimizer, [AllowNull] SaveOptions options = null)
        {
            State state = null;
            Collective.Prepare(() => state = State.Of(model, optimizer), RefuseSave);
            using (state)
                return Save(state, options, new CheckpointTaskOptions { WhenFull = WhenFull.Refuse }).Id;
        }

        /// <summary>Returns the status of a task; null when it is unknown or no longer in the history.</summary>
        /// <param name="checkpointId">The task's number.</param>
        /// <returns>The status or null.</returns>
        public CheckpointTaskStatus? GetTaskStatus(long checkpointId)
        {
            try
            {
                return GetTask(checkpointId).Status;
            }
            catch (CkptNotFoundException)
            {
                return null;
            }
        }

        /// <summary>Waits until a task has ended, successfully or not: the result contains a failure. Throws CkptTimeoutException
        /// after the timeout, CkptNotFoundException for an unknown number.</summary>
        /// <param name="checkpointId">The task's number.</param>
        /// <param name="timeout">null: without a limit.</param>
        /// <param name="cancellationToken">Cancels the wait, not the task.</param>
        /// <returns>The result.</returns>
        public async Task<CheckpointTaskResult> WaitForCompletionAsync(long checkpointId, TimeSpan? timeout = null,
                                                                       CancellationToken cancellationToken = default(CancellationToken))
        {
            GetTask(checkpointId); // throws for an unknown number
            try
            {
                await WaitAsync(checkpointId, timeout, cancellationToken).ConfigureAwait(false);
            }
            catch (Exception error) when ((error is CkptException || error is OperationCanceledException)
                && HasEnded(checkpointId))
            {
                // The task was cancelled or failed, as the result reports.
            }
            return new CheckpointTaskResult(Wait(checkpointId));
        }

        private bool HasEnded(long checkpointId)
        {
            var status = GetTask(checkpointId).Status;
            return status != CheckpointTaskStatus.Queued && status != CheckpointTaskStatus.Running;
        }

        /// <summary>Asks a task to stop.</summary>
        /// <param name="checkpointId">The task's number.</param>
        /// <returns>True when it ends cancelled because of this call; also false for an unknown number.</returns>
        public bool CancelCheckpoint(long checkpointId)
        {
            try
            {
                return Cancel(checkpointId);
            }
            catch (CkptNotFoundException)
            {
                return false;
            }
        }

        /// <summary>Returns the tasks that have not ended.</summary>
        /// <returns>The tasks.</returns>
        public IReadOnlyList<CheckpointTaskInfo> GetActiveTasks()
        {
            return GetTasks();
        }
    }

    /// <summary>Creates managers of background tasks from checkpoints.</summary>
    public static class AsyncCheckpointExtension
    {
        /// <summary>Creates a manager for these checkpoints.</summary>
        /// <param name="checkpoint">Kept alive.</param>
        /// <param name="maxQueueSize">The most tasks that have not ended.</param>
        /// <returns>The manager; dispose of it.</returns>
        public static AsyncCheckpointManager CreateAsyncManager(this CheckpointManager checkpoint, int maxQueueSize = 10)
        {
            return new AsyncCheckpointManager(checkpoint, maxQueueSize);
        }
    }
}
