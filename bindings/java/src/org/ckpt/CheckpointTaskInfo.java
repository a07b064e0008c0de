package org.ckpt;

import java.time.Duration;
import java.util.Optional;

/**
 * How a background task stands.
 *
 * @param id of the task
 * @param type what it does
 * @param status how it stands
 * @param staged whether the tensors of a save may be written
 * @param step to be saved; -1 for a load
 * @param doneBytes written so far
 * @param totalBytes of the tensors and headers; 0 for a load
 * @param queuedAtNs by Ckpt.monotonicNs
 * @param startedAtNs 0 when no worker has begun
 * @param completedAtNs 0 when it has not ended
 */
public record CheckpointTaskInfo(
    long id, CheckpointTaskType type, CheckpointTaskStatus status, boolean staged, long step, long doneBytes, long totalBytes,
    long queuedAtNs, long startedAtNs, long completedAtNs) {
  /**
   * From the worker's begin to the end.
   *
   * @return empty when it has not begun, or not ended
   */
  public Optional<Duration> duration() {
    if (startedAtNs == 0 || completedAtNs == 0) return Optional.empty();
    return Optional.of(Duration.ofNanos(completedAtNs - startedAtNs));
  }

  static CheckpointTaskInfo of(ckpt_checkpoint_task_info struct) {
    return new CheckpointTaskInfo(
        struct.getId(), CheckpointTaskType.of(struct.getKind()), CheckpointTaskStatus.of(struct.getState()),
        struct.getStaged() != 0, struct.getStep(), struct.getDone_bytes(), struct.getTotal_bytes(), struct.getQueued_at_ns(),
        struct.getStarted_at_ns(), struct.getEnded_at_ns());
  }
}
