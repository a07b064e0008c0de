using System;
using System.Collections.Generic;
using Ckpt.Interop;

namespace Ckpt
{
    // What is known of tasks, waiting for all of them, and the end.
    public sealed partial class AsyncCheckpointManager
    {
        /// <summary>The tasks that have not ended, the oldest first.</summary>
        /// <returns>All of them.</returns>
        public IReadOnlyList<CheckpointTaskInfo> GetActiveTasks()
        {
            return Infos(native.CKPT_CHECKPOINT_TASK_LIST_LIVE);
        }

        /// <summary>The tasks that have ended, as far as the history goes, in the order in which they did.</summary>
        /// <returns>All of them.</returns>
        public IReadOnlyList<CheckpointTaskInfo> GetEndedTasks()
        {
            return Infos(native.CKPT_CHECKPOINT_TASK_LIST_ENDED);
        }

        private List<CheckpointTaskInfo> Infos(int which)
        {
            var found = new List<CheckpointTaskInfo>();
            using (var list = new NativeList(native.ckpt_async_manager_list(Handle, which)))
            {
                foreach (var id in list.Integers())
                {
                    try
                    {
                        found.Add(GetTaskInfo(id));
                    }
                    catch (CheckpointNotFoundException)
                    {
                        // It has left the history meanwhile.
                    }
                }
            }
            return found;
        }

        /// <summary>How a task stands. CheckpointNotFoundException when it is unknown or no longer in the history.</summary>
        /// <param name="checkpointId">The task's number.</param>
        /// <returns>Bytes, times and status of one moment.</returns>
        public CheckpointTaskInfo GetTaskInfo(long checkpointId)
        {
            using (var task = new ckpt_checkpoint_task_info())
            {
                native.ckpt_async_manager_get_task(Handle, checkpointId, task);
                return new CheckpointTaskInfo(task);
            }
        }

        /// <summary>What a completed save made. CheckpointInvalidStateException unless the task is one.</summary>
        /// <param name="checkpointId">The task's number.</param>
        /// <returns>As Checkpoint.Save gives it.</returns>
        public SaveResult GetSaveResult(long checkpointId)
        {
            using (var result = new ckpt_save_result())
            {
                native.ckpt_async_manager_get_save_result(Handle, checkpointId, result);
                return new SaveResult(result);
            }
        }

        /// <summary>What a completed load found. CheckpointInvalidStateException unless the task is one.</summary>
        /// <param name="checkpointId">The task's number.</param>
        /// <returns>As Checkpoint.Load gives it.</returns>
        public LoadResult GetLoadResult(long checkpointId)
        {
            using (var result = new ckpt_load_result())
            {
                native.ckpt_async_manager_get_load_result(Handle, checkpointId, result);
                return new LoadResult(result);
            }
        }

        /// <summary>Numbers of tasks and bytes.</summary>
        /// <returns>A snapshot.</returns>
        public AsyncCheckpointStats GetStats()
        {
            using (var stats = new ckpt_async_manager_stats())
            {
                native.ckpt_async_manager_get_stats(Handle, stats);
                return new AsyncCheckpointStats(stats);
            }
        }

        /// <summary>Tells that a step has ended: tasks whose GateStep is not after it may begin.</summary>
        /// <param name="step">Never goes back.</param>
        public void EndStep(long step)
        {
            native.ckpt_async_manager_end_step(Handle, step);
        }

        /// <summary>Waits until a task has ended. CheckpointTimeoutException; CheckpointNotFoundException for an unknown
        /// number.</summary>
        /// <param name="checkpointId">The task's number.</param>
        /// <param name="timeout">null: for ever.</param>
        /// <returns>How it ended, failures included.</returns>
        public CheckpointTaskResult Wait(long checkpointId, TimeSpan? timeout = null)
        {
            using (var result = new ckpt_checkpoint_task_result())
            {
                native.ckpt_async_manager_wait(Handle, checkpointId, Times.Nanoseconds(timeout), result);
                return new CheckpointTaskResult(result);
            }
        }

        internal void WaitStaged(long id, TimeSpan? timeout)
        {
            native.ckpt_async_manager_wait_staged(Handle, id, Times.Nanoseconds(timeout));
        }

        /// <summary>Waits until all tasks that have not ended now have; their results tell how.
        /// CheckpointTimeoutException.</summary>
        /// <param name="timeout">null: for ever.</param>
        public void WaitAll(TimeSpan? timeout = null)
        {
            native.ckpt_async_manager_wait(Handle, native.CKPT_CHECKPOINT_TASK_ALL, Times.Nanoseconds(timeout), null);
        }

        /// <summary>Waits until the tensors of all saves may be written to. CheckpointTimeoutException.</summary>
        /// <param name="timeout">null: for ever.</param>
        public void WaitAllStaged(TimeSpan? timeout = null)
        {
            native.ckpt_async_manager_wait_staged(Handle, native.CKPT_CHECKPOINT_TASK_ALL, Times.Nanoseconds(timeout));
        }

        /// <summary>Takes nothing new, lets the tasks end, and ends the threads. Throws the error of a save that failed and that
        /// nobody was told of; CheckpointTimeoutException when draining took too long, and what remained is cancelled. Doing it
        /// again does nothing. Dispose afterwards.</summary>
        /// <param name="cancel">True: what is queued or not yet committed is cancelled; false: it is done first.</param>
        /// <param name="timeout">That draining may take; null: for ever.</param>
        public void Close(bool cancel = false, TimeSpan? timeout = null)
        {
            native.ckpt_async_manager_close(Handle, cancel ? native.CKPT_CLOSE_MODE_CANCEL : native.CKPT_CLOSE_MODE_DRAIN,
                Times.Nanoseconds(timeout));
        }
    }
}
