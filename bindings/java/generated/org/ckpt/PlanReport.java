// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/**
 * The exact memory and time of a schedule on a chain.
 *
 * @param actions number of actions, END included
 * @param forwards number of layer forwards (each RECORD is one), recomputed ones included
 * @param recomputedForwards number of layer forwards beyond the first of each layer
 * @param stepSeconds duration of the step in seconds: the sum of forwards, records, backwards and waits of AWAITs
 * @param recomputedSeconds duration of the recomputed forwards in seconds, from forwardSeconds or recordSeconds
 * @param peakAction index of the first action with the peak of tier 0
 * @param peakBytes peak live bytes of each tier; tier 0 counts items, workspace and ambient state
 * @param waitSeconds duration of the waits of AWAITs in seconds; included in stepSeconds
 * @param peakItems maximum number of items (INPUT, TAPE, GRAD) in each tier, x_0 included
 * @param peakInputs maximum number of INPUTs in each tier, x_0 included: the states that an adjoint code keeps
 * @param storedBytes bytes that were copied into each tier; 0 for tier 0
 * @param loadedBytes bytes that were copied back from each tier; 0 for tier 0
 */
public record PlanReport(
    long actions, long forwards, long recomputedForwards, double stepSeconds, double recomputedSeconds, long peakAction,
    long[] peakBytes, double waitSeconds, long[] peakItems, long[] peakInputs, long[] storedBytes, long[] loadedBytes) {
  static PlanReport of(ckpt_plan_report struct) {
    return new PlanReport(
        struct.getActions(), struct.getForwards(), struct.getRecomputed_forwards(), struct.getStep_seconds(),
        struct.getRecomputed_seconds(), struct.getPeak_action(), struct.getPeak_bytes(), struct.getWait_seconds(),
        struct.getPeak_items(), struct.getPeak_inputs(), struct.getStored_bytes(), struct.getLoaded_bytes());
  }

  static PlanReport from(NativeObject.Into<ckpt_plan_report> call) {
    try (ckpt_plan_report struct = new ckpt_plan_report()) {
      call.call(struct);
      return of(struct);
    }
  }
}
