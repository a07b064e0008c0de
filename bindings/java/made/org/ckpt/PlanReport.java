// Made from include/ckpt by tools/api: do not edit.
package org.ckpt;

/**
 * What a schedule costs on a chain, exactly.
 *
 * @param actions number of actions, END included
 * @param forwards number of layer forwards, recomputed ones included
 * @param recomputedForwards number of layer forwards beyond the first of each layer
 * @param stepSeconds duration of all forwards and backwards in seconds; transfers take no time
 * @param recomputedSeconds duration of the recomputed forwards in seconds
 * @param peakAction index of the action during which tier 0 was fullest (the first such)
 * @param peakBytes live bytes at the fullest moment of each tier; tier 0 counts items, workspace and ambient state
 */
public record PlanReport(
    long actions, long forwards, long recomputedForwards, double stepSeconds, double recomputedSeconds, long peakAction,
    long[] peakBytes) {
  static PlanReport of(ckpt_plan_report struct) {
    return new PlanReport(
        struct.getActions(), struct.getForwards(), struct.getRecomputed_forwards(), struct.getStep_seconds(),
        struct.getRecomputed_seconds(), struct.getPeak_action(), struct.getPeak_bytes());
  }

  static PlanReport from(NativeObject.Into<ckpt_plan_report> call) {
    try (ckpt_plan_report struct = new ckpt_plan_report()) {
      call.call(struct);
      return of(struct);
    }
  }
}
