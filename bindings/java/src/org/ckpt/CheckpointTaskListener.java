package org.ckpt;

import java.time.Duration;

/**
 * Notified of background tasks. Runs on a thread of the manager, or on the one that cancelled, dropped or closed; for one task
 * never two at a time, for several tasks also at once. It holds up the task, so it should be short; calls that would wait throw
 * {@link CkptInvalidStateException} inside. What it throws is logged.
 */
public interface CheckpointTaskListener {
  /**
   * The tensors of a save may be written.
   *
   * @param id of the task
   * @param stall for which the save kept its caller
   */
  default void staged(long id, Duration stall) {}

  /**
   * How far a save is; about every 4 MiB.
   *
   * @param id of the task
   * @param doneBytes written so far
   * @param totalBytes of all
   */
  default void progress(long id, long doneBytes, long totalBytes) {}

  /**
   * The task has ended: once, however it ended, before any wait for it returns.
   *
   * @param result how
   */
  default void ended(CheckpointTaskResult result) {}
}
