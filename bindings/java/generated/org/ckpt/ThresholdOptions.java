// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

import java.lang.ref.Reference;

/** Options for creating a threshold rule. */
public final class ThresholdOptions {
  private double threshold = 0.35;
  private double learningRate = 0.1;
  private long budget = 3L;

  /** All defaults. */
  public ThresholdOptions() {}

  /**
   * Initial threshold: a share of the longest task, 0.05 .. 1. Default: 0.35.
   *
   * @param threshold the value
   * @return this
   */
  public ThresholdOptions threshold(double threshold) {
    this.threshold = threshold;
    return this;
  }

  /** {@return the value set by {@link #threshold(double)}} */
  public double threshold() {
    return threshold;
  }

  /**
   * Maximum change of the threshold by one recovery, &gt; 0, &lt;= 1. Default: 0.1.
   *
   * @param learningRate the value
   * @return this
   */
  public ThresholdOptions learningRate(double learningRate) {
    this.learningRate = learningRate;
    return this;
  }

  /** {@return the value set by {@link #learningRate(double)}} */
  public double learningRate() {
    return learningRate;
  }

  /**
   * Number of checkpoints of a run, &gt;= 0. Default: 3.
   *
   * @param budget the value
   * @return this
   */
  public ThresholdOptions budget(long budget) {
    this.budget = budget;
    return this;
  }

  /** {@return the value set by {@link #budget(long)}} */
  public long budget() {
    return budget;
  }

  /** Calls with these values, and keeps them alive during the call. */
  void with(NativeObject.Into<ckpt_threshold_options> call) {
    try (ckpt_threshold_options struct = new ckpt_threshold_options()) {
      struct.setThreshold(threshold);
      struct.setLearning_rate(learningRate);
      struct.setBudget(budget);
      call.call(struct);
    } finally {
      Reference.reachabilityFence(this);
    }
  }
}
