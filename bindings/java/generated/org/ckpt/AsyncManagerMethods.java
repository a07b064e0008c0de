// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

import java.time.Duration;

/** The methods of {@link AsyncManager} that are one call of the C API. */
abstract class AsyncManagerMethods extends NativeObject {
  AsyncManagerMethods(long address) {
    super(address, Native::ckpt_async_manager_release);
  }

  /**
   * Closes the manager: accepts no new tasks, ends the tasks as mode specifies, and stops the threads; all callbacks have returned
   * by then. timeout: maximum time for draining (-1: forever); after that, remaining tasks are cancelled and the call returns
   * {@link Status#TIMEOUT}. A failure that was not seen is reported here (see Failures in the documentation of async; its message
   * also names the time-out), and the manager is still closed. Closing again reports the next failure, and returns {@link
   * Status#OK} when there is none. {@link Status#INVALID_STATE} inside a callback: the manager stays open.
   */
  public void close(CloseMode mode, Duration timeout) {
    Native.ckpt_async_manager_close(this, mode.number(), nanoseconds(timeout));
  }

  /**
   * Asks a task to stop. Returns true if the task ends {@link Status#CANCELLED} because of this call, and leaves no files; false if
   * the task had ended, was cancelled before, or can no longer be undone (the manifest of a save is being written; the tensors of a
   * load are being filled). A queued task ends, and releases its place, before this returns; a running one ends within its next 4
   * MiB. Another thread may still copy a block of the tensors: change or free them only after a wait for the task, or in its ended
   * callback. {@link Status#NOT_FOUND} for an id that is unknown or no longer in the history. Not async-signal-safe.
   */
  public boolean cancel(long id) {
    return truth(out -> Native.ckpt_async_manager_cancel(this, id, out));
  }

  /**
   * Waits until a save is staged or has ended: its tensors may be written. id: 0 waits for all saves. timeout: nanoseconds, -1
   * forever. {@link Status#TIMEOUT}; {@link Status#NOT_FOUND} as {@code AsyncManager.cancel}; {@link Status#INVALID_STATE} inside a
   * callback.
   */
  public void waitStaged(long id, Duration timeout) {
    Native.ckpt_async_manager_wait_staged(this, id, nanoseconds(timeout));
  }

  /** Reports that a step has ended: tasks with a gateStep up to this step may start. A lower step than before has no effect. */
  public void endStep(long step) {
    Native.ckpt_async_manager_end_step(this, step);
  }

  /** Returns the current information about a task. {@link Status#NOT_FOUND} as {@code AsyncManager.cancel}. */
  public CheckpointTaskInfo task(long id) {
    return CheckpointTaskInfo.from(struct -> Native.ckpt_async_manager_get_task(this, id, struct));
  }

  /** Returns counters of the manager's tasks and bytes: a snapshot while tasks are active. */
  public AsyncManagerStats stats() {
    return AsyncManagerStats.from(struct -> Native.ckpt_async_manager_get_stats(this, struct));
  }
}
