package org.ckpt.compat;

import java.time.Duration;
import org.ckpt.CheckpointTaskState;

/**
 * How a task ended.
 *
 * @param id of the task
 * @param status COMPLETED, FAILED, CANCELLED or REJECTED
 * @param success whether it completed
 * @param checkpointPath name of the checkpoint, which is its directory in the storage; null unless completed
 * @param error why it did not complete; null when completed
 * @param duration from the start of the task on a worker to its end; zero when it did not start
 * @param bytesWritten bytes of the files that are durable; 0 unless completed
 */
public record CheckpointTaskResult(
    long id, CheckpointTaskState status, boolean success, String checkpointPath, String error, Duration duration, long bytesWritten) {
  static CheckpointTaskResult of(org.ckpt.CheckpointTaskResult from) {
    boolean success = from.success();
    return new CheckpointTaskResult(
        from.id(), from.state(), success, success ? from.name() : null, success ? null : from.error(), from.duration(), from.bytes());
  }
}
