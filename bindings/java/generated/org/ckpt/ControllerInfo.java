// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/**
 * What a controller knows.
 *
 * @param running true while a run is going on, else false
 * @param saveInFlight true while a save is begun and neither committed nor aborted, else false
 * @param failures number of failures recorded
 * @param saves number of saves committed
 * @param costSeconds mean stall of the last eight saves in seconds; 0 when there was none
 * @param durableSeconds mean time in seconds until the last eight saves were durable; 0 when there was none
 * @param unjudgedOverheadSeconds cost in seconds of saves that neither a recovery nor a clean exit has judged
 * @param lastSeenSeconds the last sign of life, in seconds on the caller's clock
 * @param mtbfSeconds mean time between failures in seconds at the last sign of life, as the policy sees it: 1 / failure rate
 * @param threshold value of the threshold rule's threshold now: a share of the longest task
 * @param thresholdUsed number of checkpoints of this run that the threshold rule used
 * @param tasks number of tasks that can be read
 */
public record ControllerInfo(
    boolean running, boolean saveInFlight, long failures, long saves, double costSeconds, double durableSeconds,
    double unjudgedOverheadSeconds, double lastSeenSeconds, double mtbfSeconds, double threshold, long thresholdUsed, long tasks) {
  static ControllerInfo of(ckpt_controller_info struct) {
    return new ControllerInfo(
        struct.getRunning() != 0, struct.getSave_in_flight() != 0, struct.getFailures(), struct.getSaves(), struct.getCost_seconds(),
        struct.getDurable_seconds(), struct.getUnjudged_overhead_seconds(), struct.getLast_seen_seconds(), struct.getMtbf_seconds(),
        struct.getThreshold(), struct.getThreshold_used(), struct.getTasks());
  }

  static ControllerInfo from(NativeObject.Into<ckpt_controller_info> call) {
    try (ckpt_controller_info struct = new ckpt_controller_info()) {
      call.call(struct);
      return of(struct);
    }
  }
}
