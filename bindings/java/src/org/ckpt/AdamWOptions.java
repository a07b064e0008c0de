package org.ckpt;

/** How AdamW updates. */
public final class AdamWOptions {
  private Double learningRate;
  private Double beta1;
  private Double beta2;
  private Double epsilon;
  private Double weightDecay;

  /** All defaults. */
  public AdamWOptions() {}

  /**
   * Above 0; default 1e-3.
   *
   * @param learningRate the value
   * @return this
   */
  public AdamWOptions learningRate(double learningRate) {
    this.learningRate = learningRate;
    return this;
  }

  /**
   * At least 0, below 1; default 0.9.
   *
   * @param beta1 the value
   * @return this
   */
  public AdamWOptions beta1(double beta1) {
    this.beta1 = beta1;
    return this;
  }

  /**
   * At least 0, below 1; default 0.999.
   *
   * @param beta2 the value
   * @return this
   */
  public AdamWOptions beta2(double beta2) {
    this.beta2 = beta2;
    return this;
  }

  /**
   * Above 0; default 1e-8.
   *
   * @param epsilon the value
   * @return this
   */
  public AdamWOptions epsilon(double epsilon) {
    this.epsilon = epsilon;
    return this;
  }

  /**
   * At least 0; default 0.01.
   *
   * @param weightDecay the value
   * @return this
   */
  public AdamWOptions weightDecay(double weightDecay) {
    this.weightDecay = weightDecay;
    return this;
  }

  /** Changes what was set; everything else keeps the library's default. */
  void apply(ckpt_adamw_options struct) {
    if (learningRate != null) struct.setLearning_rate(learningRate);
    if (beta1 != null) struct.setBeta1(beta1);
    if (beta2 != null) struct.setBeta2(beta2);
    if (epsilon != null) struct.setEpsilon(epsilon);
    if (weightDecay != null) struct.setWeight_decay(weightDecay);
  }
}
