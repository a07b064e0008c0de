// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

import java.time.Duration;

/** The methods of {@link AsyncManager} that are one call of the C API. */
abstract class AsyncManagerMethods extends NativeObject {
  AsyncManagerMethods(long address) {
    super(address, Native::ckpt_async_manager_release);
  }

  /**
   * Closes the manager: takes nothing new, lets the tasks end as mode says, and ends the threads; all callbacks have returned then.
   * timeout: that draining may take (-1: for ever); what remains then is cancelled, and the call returns {@link Status#TIMEOUT}. A
   * failure that was not seen is reported here (see Failures at the top of the documentation of async; its message names the
   * time-out, too): the manager is closed all the same. Closing again reports the next one, and returns {@link Status#OK} when
   * there is none. {@link Status#INVALID_STATE} inside a callback: nothing was closed.
   */
  public void close(CloseMode mode, Duration timeout) {
    Native.ckpt_async_manager_close(this, mode.number(), nanoseconds(timeout));
  }

  /**
   * Asks a task to stop. cancelled (may be null) is 1 when it will end, or has just ended, {@link Status#CANCELLED} because of this
   * call: then nothing of it stays. It is 0 when the task had ended, was cancelled before, or has passed the point after which it
   * cannot be undone (the manifest of a save is being written; the tensors of a load are being filled). A queued task ends, and
   * releases its place, before this returns; a running one at its next 4 MiB. {@link Status#NOT_FOUND} for an id that is unknown or
   * no longer in the history. Not async-signal-safe.
   */
  public boolean cancel(long id) {
    return truth(out -> Native.ckpt_async_manager_cancel(this, id, out));
  }

  /**
   * Waits until a save is staged or has ended: its tensors may be written. id: 0 waits for all saves. timeout: nanoseconds, -1 for
   * ever. {@link Status#TIMEOUT}; {@link Status#NOT_FOUND} as {@code AsyncManager.cancel}; {@link Status#INVALID_STATE} inside a
   * callback.
   */
  public void waitStaged(long id, Duration timeout) {
    Native.ckpt_async_manager_wait_staged(this, id, nanoseconds(timeout));
  }

  /** Reports that a step has ended: tasks whose gateStep is not after it may begin. Never goes back. */
  public void endStep(long step) {
    Native.ckpt_async_manager_end_step(this, step);
  }

  /** Returns what is known of a task now. {@link Status#NOT_FOUND} as {@code AsyncManager.cancel}. */
  public CheckpointTaskInfo task(long id) {
    return CheckpointTaskInfo.from(struct -> Native.ckpt_async_manager_get_task(this, id, struct));
  }

  /** Returns the manager's tasks and bytes; a snapshot while they are at work. */
  public AsyncManagerStats stats() {
    return AsyncManagerStats.from(struct -> Native.ckpt_async_manager_get_stats(this, struct));
  }
}
