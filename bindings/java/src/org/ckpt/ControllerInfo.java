package org.ckpt;

/**
 * What a controller knows.
 *
 * @param running whether a run is going on
 * @param saveInFlight whether a save was begun and not ended
 * @param failures recorded
 * @param saves committed
 * @param costSeconds mean stall of the last eight saves
 * @param durableSeconds their mean time until they were durable
 * @param unjudgedOverheadSeconds of saves that neither a recovery nor a clean exit has judged
 * @param lastSeenSeconds the last sign of life
 * @param mtbfSeconds mean time between failures, as the policy sees it
 * @param threshold of the threshold rule
 * @param thresholdUsed its slots
 * @param tasks that can be read
 */
public record ControllerInfo(
    boolean running, boolean saveInFlight, long failures, long saves, double costSeconds, double durableSeconds,
    double unjudgedOverheadSeconds, double lastSeenSeconds, double mtbfSeconds, double threshold, long thresholdUsed, long tasks) {
  static ControllerInfo of(ckpt_controller_info struct) {
    return new ControllerInfo(
        struct.getRunning() != 0, struct.getSave_in_flight() != 0, struct.getFailures(), struct.getSaves(),
        struct.getCost_seconds(), struct.getDurable_seconds(), struct.getUnjudged_overhead_seconds(),
        struct.getLast_seen_seconds(), struct.getMtbf_seconds(), struct.getThreshold(), struct.getThreshold_used(),
        struct.getTasks());
  }
}
