// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/**
 * The state of a threshold rule.
 *
 * @param threshold current threshold: a share of the longest task, 0.05 .. 1
 * @param longestSeconds duration of the longest task observed, in seconds
 * @param budget number of checkpoints of a run
 * @param used number of checkpoints used in this run
 * @param tasks number of stored tasks: at most the last 256
 */
public record ThresholdInfo(
    double threshold, double longestSeconds, long budget, long used, long tasks) {
  static ThresholdInfo of(ckpt_threshold_info struct) {
    return new ThresholdInfo(
        struct.getThreshold(), struct.getLongest_seconds(), struct.getBudget(), struct.getUsed(), struct.getTasks());
  }

  static ThresholdInfo from(NativeObject.Into<ckpt_threshold_info> call) {
    try (ckpt_threshold_info struct = new ckpt_threshold_info()) {
      call.call(struct);
      return of(struct);
    }
  }
}
