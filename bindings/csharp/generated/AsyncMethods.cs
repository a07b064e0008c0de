// Generated from include/ckpt by tools/api: do not edit.
using System;
using Ckpt.Interop;

namespace Ckpt
{
    public partial class AsyncManager
    {
        /// <summary>Closes the manager: accepts no new tasks, ends the tasks as mode specifies, and stops the threads; all
        /// callbacks have returned by then. timeout: maximum time for draining (-1: forever); after that, remaining tasks are
        /// cancelled and the call returns <see cref="CkptStatus.Timeout"/>. A failure that was not seen is reported here (see
        /// Failures in the documentation of async; its message also names the time-out), and the manager is still closed. Closing
        /// again reports the next failure, and returns <see cref="CkptStatus.Ok"/> when there is none.
        /// <see cref="CkptStatus.InvalidState"/> inside a callback: the manager stays open.</summary>
        public void Close(CloseMode mode = CloseMode.Drain, TimeSpan? timeout = null)
        {
            native.ckpt_async_manager_close(Handle, (int)mode, Times.Nanoseconds(timeout));
        }

        /// <summary>Fills result as <c>CheckpointManager.Save</c> does. <see cref="CkptStatus.InvalidState"/> unless the task is a
        /// save that has completed; <see cref="CkptStatus.NotFound"/>.</summary>
        public SaveResult GetSaveResult(long id)
        {
            return SaveResult.Filled(filled => native.ckpt_async_manager_get_save_result(Handle, id, filled));
        }

        /// <summary>Fills result as <c>CheckpointManager.Load</c> does. <see cref="CkptStatus.InvalidState"/> unless the task is a
        /// load that has completed; <see cref="CkptStatus.NotFound"/>.</summary>
        public LoadResult GetLoadResult(long id)
        {
            return LoadResult.Filled(filled => native.ckpt_async_manager_get_load_result(Handle, id, filled));
        }

        /// <summary>Reports that a step has ended: tasks with a <c>GateStep</c> up to this step may start. A lower step than before
        /// has no effect.</summary>
        public void EndStep(long step)
        {
            native.ckpt_async_manager_end_step(Handle, step);
        }

        /// <summary>Returns the current information about a task. <see cref="CkptStatus.NotFound"/> as
        /// <c>AsyncManager.Cancel</c>.</summary>
        public CheckpointTaskInfo GetTask(long id)
        {
            return CheckpointTaskInfo.Filled(filled => native.ckpt_async_manager_get_task(Handle, id, filled));
        }

        /// <summary>Returns counters of the manager's tasks and bytes: a snapshot while tasks are active.</summary>
        public AsyncManagerStats GetStats()
        {
            return AsyncManagerStats.Filled(filled => native.ckpt_async_manager_get_stats(Handle, filled));
        }
    }
}
