// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

import java.time.Duration;

/**
 * Measurements of an executor since it was created.
 *
 * @param steps number of successful steps
 * @param forwards number of layer forwards, recomputed ones included
 * @param recomputedForwards number of layer forwards beyond the first of each layer in a step
 * @param liveBytes bytes that are live now; 0 between steps
 * @param peakLiveBytes maximum number of live bytes: equals the verifier's peak of tier 0 to the byte
 * @param reservedBytes bytes of the arena that the executor reserved when it was created
 * @param run duration of all steps
 * @param transferWait duration that steps waited for copies through the storages of tiers; part of run
 * @param storedBytes bytes that were copied into each tier; 0 for tier 0
 * @param loadedBytes bytes that were copied back from each tier; 0 for tier 0
 */
public record ScheduleExecutorStats(
    long steps, long forwards, long recomputedForwards, long liveBytes, long peakLiveBytes, long reservedBytes, Duration run,
    Duration transferWait, long[] storedBytes, long[] loadedBytes) {
  static ScheduleExecutorStats of(ckpt_schedule_executor_stats struct) {
    return new ScheduleExecutorStats(
        struct.getSteps(), struct.getForwards(), struct.getRecomputed_forwards(), struct.getLive_bytes(), struct.getPeak_live_bytes(),
        struct.getReserved_bytes(), Duration.ofNanos(struct.getRun_ns()), Duration.ofNanos(struct.getTransfer_wait_ns()),
        struct.getStored_bytes(), struct.getLoaded_bytes());
  }

  static ScheduleExecutorStats from(NativeObject.Into<ckpt_schedule_executor_stats> call) {
    try (ckpt_schedule_executor_stats struct = new ckpt_schedule_executor_stats()) {
      call.call(struct);
      return of(struct);
    }
  }
}
