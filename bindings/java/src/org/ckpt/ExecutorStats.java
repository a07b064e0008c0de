package org.ckpt;

/**
 * What an executor measured since it was made.
 *
 * @param steps that ended well
 * @param forwards layer forwards, recomputed ones included
 * @param recomputedForwards those beyond the first of each layer
 * @param liveBytes alive now: between steps 0
 * @param peakLiveBytes the most that was alive at once
 * @param reservedBytes the arena
 * @param seconds of all steps
 */
public record ExecutorStats(
    long steps, long forwards, long recomputedForwards, long liveBytes, long peakLiveBytes, long reservedBytes, double seconds) {
  static ExecutorStats of(ckpt_schedule_executor_stats struct) {
    return new ExecutorStats(
        struct.getSteps(), struct.getForwards(), struct.getRecomputed_forwards(), struct.getLive_bytes(),
        struct.getPeak_live_bytes(), struct.getReserved_bytes(), struct.getSeconds());
  }
}
