package org.ckpt;

import java.time.Duration;

/**
 * Notified of background tasks. Runs on a thread of the manager, or on the one that cancelled, dropped or closed; for one task
 * never concurrently, for several tasks also at once. It delays the task, so it should be short; calls that would wait throw
 * {@link CkptInvalidStateException} inside. Its exceptions are logged.
 */
public interface CheckpointTaskListener {
  /**
   * Called when the tensors of a save may be written.
   *
   * @param id of the task
   * @param stall the time that the caller of the save waited
   */
  default void staged(long id, Duration stall) {}

  /**
   * Reports the progress of a save, about every 4 MiB.
   *
   * @param id of the task
   * @param doneBytes written so far
   * @param totalBytes bytes in all
   */
  default void progress(long id, long doneBytes, long totalBytes) {}

  /**
   * Called once when the task has ended, successfully or not, before any wait for it returns.
   *
   * @param result the result of the task
   */
  default void ended(CheckpointTaskResult result) {}
}
