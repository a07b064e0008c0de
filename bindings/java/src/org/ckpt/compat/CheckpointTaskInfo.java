package org.ckpt.compat;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.ckpt.CheckpointTaskKind;
import org.ckpt.CheckpointTaskState;

/**
 * The state and the times of one task.
 *
 * @param id of the task
 * @param type SAVE or LOAD
 * @param status the state of the task
 * @param queuedAt when it was queued
 * @param startedAt when a worker began it; empty when it has not begun
 * @param completedAt when it ended; empty when it has not ended
 * @param duration from its start to its end, by the monotonic clock; empty until it has started and ended
 */
public record CheckpointTaskInfo(
    long id, CheckpointTaskKind type, CheckpointTaskState status, Instant queuedAt, Optional<Instant> startedAt,
    Optional<Instant> completedAt, Optional<Duration> duration) {
  static CheckpointTaskInfo of(org.ckpt.CheckpointTaskInfo from) {
    return new CheckpointTaskInfo(
        from.id(), from.kind(), from.state(), from.queuedUtc(), from.startedUtc(), from.endedUtc(), from.duration());
  }
}
