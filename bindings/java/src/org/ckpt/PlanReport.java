package org.ckpt;

/**
 * What a schedule costs on a chain, exactly.
 *
 * @param actions END included
 * @param forwards layer forwards, recomputed ones included
 * @param recomputedForwards layer forwards beyond the first of each layer
 * @param seconds of all forwards and backwards
 * @param recomputedSeconds of recomputed forwards
 * @param peakAction index of the action during which tier 0 was fullest
 * @param peakBytes live bytes at the fullest moment of each tier
 */
public record PlanReport(
    long actions, long forwards, long recomputedForwards, double seconds, double recomputedSeconds, long peakAction,
    long[] peakBytes) {
  static PlanReport of(ckpt_plan_report struct) {
    return new PlanReport(
        struct.getActions(), struct.getForwards(), struct.getRecomputed_forwards(), struct.getSeconds(),
        struct.getRecomputed_seconds(), struct.getPeak_action(), struct.getPeak_bytes());
  }
}
