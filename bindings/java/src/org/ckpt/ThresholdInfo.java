package org.ckpt;

/**
 * How a threshold rule stands.
 *
 * @param threshold the share of the longest task that is large enough
 * @param longestSeconds of all tasks observed
 * @param budget slots of a run
 * @param used of them
 * @param tasks that can be read
 */
public record ThresholdInfo(double threshold, double longestSeconds, long budget, long used, long tasks) {
  static ThresholdInfo of(ckpt_threshold_info struct) {
    return new ThresholdInfo(
        struct.getThreshold(), struct.getLongest_seconds(), struct.getBudget(), struct.getUsed(), struct.getTasks());
  }
}
