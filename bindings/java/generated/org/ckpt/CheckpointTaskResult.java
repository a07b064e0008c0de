// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

import java.time.Duration;

/**
 * How a background task ended.
 *
 * @param state final state of the task: {@link CheckpointTaskState#COMPLETED}, {@link CheckpointTaskState#FAILED}, {@link
 *     CheckpointTaskState#CANCELLED} or {@link CheckpointTaskState#REJECTED}
 * @param status {@link Status#OK} when completed, {@link Status#CANCELLED} when cancelled, {@link Status#QUEUE_FULL} when
 *     rejected, else the error
 * @param kind kind of task: {@link CheckpointTaskKind#SAVE} or {@link CheckpointTaskKind#LOAD}
 * @param id id of the task
 * @param step number of the step: of a save, in any final state; of the checkpoint that a load loaded, 0 unless completed
 * @param bytes bytes of the files that are durable, or that were loaded; 0 unless completed
 * @param retries number of operations that the manager's fault handler retried, and of files that were written again
 * @param duration time from the start of the task by a worker to its end; 0 when none started it
 * @param stall time for which the call that created the task blocked its caller: admission and staging
 * @param durable time from the call that created the task until it was durable (loaded); 0 unless completed
 * @param name name of the checkpoint: its directory in the storage; empty unless completed
 * @param error reason why the task did not complete: one line of UTF-8, truncated at a character boundary; empty when completed
 * @param generation generation of a save's line, which increases with each roll-back; 0 in a storage without roll-backs, and when
 *     rejected
 * @param rolledBack true when the generation began with this save, which was accepted although its step does not exceed the
 *     newest step, else false
 * @param metricIgnored true when the metric of a save was not finite, so that the checkpoint has none, else false
 * @param unreportedFailures number of failures of earlier background tasks of the storage that no caller has received (see {@link
 *     SaveResult}); of a save that completed, else 0
 * @param unreportedStatus status of the oldest of the unreported failures; {@link Status#OK} when there are none
 * @param unreportedError the oldest of the unreported failures: one line of UTF-8, truncated at a character boundary; empty when
 *     there are none
 */
public record CheckpointTaskResult(
    CheckpointTaskState state, Status status, CheckpointTaskKind kind, long id, long step, long bytes, long retries,
    Duration duration, Duration stall, Duration durable, String name, String error, long generation, boolean rolledBack,
    boolean metricIgnored, long unreportedFailures, Status unreportedStatus, String unreportedError) implements TaskBehaviour.Ended {
  static CheckpointTaskResult of(ckpt_checkpoint_task_result struct) {
    return new CheckpointTaskResult(
        CheckpointTaskState.of(struct.getState()), Status.of(struct.getStatus()), CheckpointTaskKind.of(struct.getKind()),
        struct.getId(), struct.getStep(), struct.getBytes(), struct.getRetries(), Duration.ofNanos(struct.getDuration_ns()),
        Duration.ofNanos(struct.getStall_ns()), Duration.ofNanos(struct.getDurable_ns()), struct.getName(), struct.getError(),
        struct.getGeneration(), struct.getRolled_back() != 0, struct.getMetric_ignored() != 0, struct.getUnreported_failures(),
        Status.of(struct.getUnreported_status()), struct.getUnreported_error());
  }

  static CheckpointTaskResult from(NativeObject.Into<ckpt_checkpoint_task_result> call) {
    try (ckpt_checkpoint_task_result struct = new ckpt_checkpoint_task_result()) {
      call.call(struct);
      return of(struct);
    }
  }
}
