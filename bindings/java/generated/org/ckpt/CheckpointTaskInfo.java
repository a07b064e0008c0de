// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

import java.time.Instant;
import java.util.Optional;

/**
 * Information about one background task.
 *
 * @param kind kind of task: {@link CheckpointTaskKind#SAVE} or {@link CheckpointTaskKind#LOAD}
 * @param state state of the task: {@link CheckpointTaskState#QUEUED}, {@link CheckpointTaskState#RUNNING} or its final state
 * @param staged true when the tensors of a save may be written, else false
 * @param id id of the task
 * @param step number of the step to be saved; 0 for a load
 * @param doneBytes bytes written (by a load: read) so far
 * @param totalBytes total bytes of tensors and headers to be written or read; 0 until a load has determined it
 * @param queuedAtNs when it was queued, in nanoseconds on the system's monotonic clock
 * @param startedAtNs when a worker started it, in nanoseconds on the system's monotonic clock; 0 when none has
 * @param endedAtNs when it ended, in nanoseconds on the system's monotonic clock; 0 when it has not ended
 * @param queuedUtc when it was queued, in UTC by the system's clock, for display; that clock may be set at any time, so compute
 *     differences from the monotonic times
 * @param startedUtc when a worker started it, in UTC by the system's clock, for display; empty when none has
 * @param endedUtc when it ended, in UTC by the system's clock, for display; empty when it has not ended
 */
public record CheckpointTaskInfo(
    CheckpointTaskKind kind, CheckpointTaskState state, boolean staged, long id, long step, long doneBytes, long totalBytes,
    long queuedAtNs, long startedAtNs, long endedAtNs, Instant queuedUtc, Optional<Instant> startedUtc, Optional<Instant> endedUtc)
    implements TaskBehaviour.Timed {
  static CheckpointTaskInfo of(ckpt_checkpoint_task_info struct) {
    return new CheckpointTaskInfo(
        CheckpointTaskKind.of(struct.getKind()), CheckpointTaskState.of(struct.getState()), struct.getStaged() != 0, struct.getId(),
        struct.getStep(), struct.getDone_bytes(), struct.getTotal_bytes(), struct.getQueued_at_ns(), struct.getStarted_at_ns(),
        struct.getEnded_at_ns(), NativeObject.instant(struct.getQueued_utc_ns()), NativeObject.instantIfAny(struct.getStarted_utc_ns()),
        NativeObject.instantIfAny(struct.getEnded_utc_ns()));
  }

  static CheckpointTaskInfo from(NativeObject.Into<ckpt_checkpoint_task_info> call) {
    try (ckpt_checkpoint_task_info struct = new ckpt_checkpoint_task_info()) {
      call.call(struct);
      return of(struct);
    }
  }
}
