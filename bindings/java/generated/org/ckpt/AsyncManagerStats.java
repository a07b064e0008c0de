// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

import java.time.Duration;

/**
 * Counters and current state of a manager of background tasks.
 *
 * @param liveTasks number of tasks that have not ended
 * @param runningTasks number of tasks that a worker has started and that have not ended
 * @param completedTasks number of tasks that completed since the manager was created
 * @param failedTasks number of tasks that failed since the manager was created
 * @param cancelledTasks number of tasks that were cancelled since the manager was created
 * @param rejectedTasks number of tasks that were rejected since the manager was created
 * @param inFlightBytes bytes of saves that have not ended and are not written yet
 * @param writtenBytes bytes written by all tasks
 * @param stagingBytes bytes of memory that was allocated for copies
 * @param stall time for which callers were blocked, in total
 * @param lastStall time for which the last staged save blocked its caller
 * @param unreportedFailures number of failed tasks that no caller has seen and that were not reported
 * @param unreportedStatus status of the oldest of the unreported failures; {@link Status#OK} when there are none
 * @param unreportedError the oldest of the unreported failures: one line of UTF-8, truncated at a character boundary; empty when
 *     there are none
 */
public record AsyncManagerStats(
    long liveTasks, long runningTasks, long completedTasks, long failedTasks, long cancelledTasks, long rejectedTasks,
    long inFlightBytes, long writtenBytes, long stagingBytes, Duration stall, Duration lastStall, long unreportedFailures,
    Status unreportedStatus, String unreportedError) {
  static AsyncManagerStats of(ckpt_async_manager_stats struct) {
    return new AsyncManagerStats(
        struct.getLive_tasks(), struct.getRunning_tasks(), struct.getCompleted_tasks(), struct.getFailed_tasks(),
        struct.getCancelled_tasks(), struct.getRejected_tasks(), struct.getIn_flight_bytes(), struct.getWritten_bytes(),
        struct.getStaging_bytes(), Duration.ofNanos(struct.getStall_ns()), Duration.ofNanos(struct.getLast_stall_ns()),
        struct.getUnreported_failures(), Status.of(struct.getUnreported_status()), struct.getUnreported_error());
  }

  static AsyncManagerStats from(NativeObject.Into<ckpt_async_manager_stats> call) {
    try (ckpt_async_manager_stats struct = new ckpt_async_manager_stats()) {
      call.call(struct);
      return of(struct);
    }
  }
}
