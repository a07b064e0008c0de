// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/**
 * The state of a controller.
 *
 * @param running true while a run is in progress, else false
 * @param saveInFlight true while a save has begun and is neither committed nor aborted, else false
 * @param failures number of failures recorded
 * @param saves number of saves committed
 * @param costSeconds mean stall of the last eight saves in seconds; 0 when there was none
 * @param durableSeconds mean time in seconds until the last eight saves were durable; 0 when there was none
 * @param unjudgedOverheadSeconds cost in seconds of saves that no recovery or clean exit has accounted for yet
 * @param lastSeenSeconds time of the last recorded event, in seconds on the caller's clock
 * @param mtbfSeconds mean time between failures in seconds at lastSeenSeconds, as the policy estimates it: 1 / failure rate
 * @param threshold current threshold of the threshold rule: a share of the longest task
 * @param thresholdUsed number of slots of this run that the threshold rule has used
 * @param tasks number of stored tasks
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
