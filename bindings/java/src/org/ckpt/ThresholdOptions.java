package org.ckpt;

/** How a threshold rule begins. */
public final class ThresholdOptions {
  private Double threshold;
  private Double learningRate;
  private Long budget;

  /** All defaults. */
  public ThresholdOptions() {}

  /**
   * First value, 0.05 .. 1; default 0.35.
   *
   * @param threshold the value
   * @return this
   */
  public ThresholdOptions threshold(double threshold) {
    this.threshold = threshold;
    return this;
  }

  /**
   * Above 0, at most 1; default 0.1.
   *
   * @param learningRate the value
   * @return this
   */
  public ThresholdOptions learningRate(double learningRate) {
    this.learningRate = learningRate;
    return this;
  }

  /**
   * Checkpoints of a run; default 3.
   *
   * @param budget the value
   * @return this
   */
  public ThresholdOptions budget(long budget) {
    this.budget = budget;
    return this;
  }

  /** Changes what was set; everything else keeps the library's default. */
  void apply(ckpt_threshold_options struct) {
    if (threshold != null) struct.setThreshold(threshold);
    if (learningRate != null) struct.setLearning_rate(learningRate);
    if (budget != null) struct.setBudget(budget);
  }
}
