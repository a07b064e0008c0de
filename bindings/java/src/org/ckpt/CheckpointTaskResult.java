package org.ckpt;

import java.time.Duration;

/**
 * How a background task ended.
 *
 * @param id of the task
 * @param type what it did
 * @param status COMPLETED, FAILED, CANCELLED or REJECTED
 * @param reason OK when completed, CANCELLED, QUEUE_FULL when rejected, else why it failed
 * @param step that was saved or loaded
 * @param bytesWritten of the files that are durable, or that were loaded; 0 unless completed
 * @param retries operations that were tried again
 * @param duration from the worker's begin to the end
 * @param stall that the call which made it kept its caller
 * @param durable from that call to the moment at which it was durable; zero unless completed
 * @param checkpointPath the checkpoint's directory in the storage; "" unless completed
 * @param error one line; "" when completed
 */
public record CheckpointTaskResult(
    long id, CheckpointTaskType type, CheckpointTaskStatus status, Status reason, long step, long bytesWritten, long retries,
    Duration duration, Duration stall, Duration durable, String checkpointPath, String error) {
  /**
   * Whether the task completed.
   *
   * @return false when it failed, was cancelled or rejected
   */
  public boolean success() {
    return status == CheckpointTaskStatus.COMPLETED;
  }

  /**
   * Throws the error of a task that did not complete.
   *
   * @return this
   */
  public CheckpointTaskResult orThrow() {
    if (!success()) throw exception();
    return this;
  }

  CkptException exception() {
    return CkptException.of(reason, error);
  }

  static Duration seconds(double seconds) {
    return Duration.ofNanos(Math.round(seconds * 1e9));
  }

  static CheckpointTaskResult of(ckpt_checkpoint_task_result struct) {
    return new CheckpointTaskResult(
        struct.getId(), CheckpointTaskType.of(struct.getKind()), CheckpointTaskStatus.of(struct.getState()),
        Status.of(struct.getStatus()), struct.getStep(), struct.getBytes(), struct.getRetries(),
        seconds(struct.getDuration_seconds()), seconds(struct.getStall_seconds()), seconds(struct.getDurable_seconds()),
        struct.getName(), struct.getError());
  }
}
