// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

import java.lang.ref.Reference;

/**
 * Options for creating an AdamW optimizer. Its state: "&lt;name&gt;.m" and "&lt;name&gt;.v" for every parameter, and the number
 * of steps. Source: Loshchilov, Hutter, "Decoupled weight decay regularization", arXiv:1711.05101.
 */
public final class AdamWOptions {
  private double learningRate = 1e-3;
  private double beta1 = 0.9;
  private double beta2 = 0.999;
  private double epsilon = 1e-8;
  private double weightDecay = 0.01;
  private boolean decayMatricesOnly = false;

  /** All defaults. */
  public AdamWOptions() {}

  /**
   * Size of a step, &gt; 0. Default: 1e-3.
   *
   * @param learningRate the value
   * @return this
   */
  public AdamWOptions learningRate(double learningRate) {
    this.learningRate = learningRate;
    return this;
  }

  /** {@return the value set by {@link #learningRate(double)}} */
  public double learningRate() {
    return learningRate;
  }

  /**
   * Decay of the mean of gradients, 0 &lt;= beta1 &lt; 1. Default: 0.9.
   *
   * @param beta1 the value
   * @return this
   */
  public AdamWOptions beta1(double beta1) {
    this.beta1 = beta1;
    return this;
  }

  /** {@return the value set by {@link #beta1(double)}} */
  public double beta1() {
    return beta1;
  }

  /**
   * Decay of the mean of squared gradients, 0 &lt;= beta2 &lt; 1. Default: 0.999.
   *
   * @param beta2 the value
   * @return this
   */
  public AdamWOptions beta2(double beta2) {
    this.beta2 = beta2;
    return this;
  }

  /** {@return the value set by {@link #beta2(double)}} */
  public double beta2() {
    return beta2;
  }

  /**
   * Added to the root of the mean of squared gradients, &gt; 0. Default: 1e-8.
   *
   * @param epsilon the value
   * @return this
   */
  public AdamWOptions epsilon(double epsilon) {
    this.epsilon = epsilon;
    return this;
  }

  /** {@return the value set by {@link #epsilon(double)}} */
  public double epsilon() {
    return epsilon;
  }

  /**
   * Decoupled weight decay, &gt;= 0: each step subtracts learningRate * weightDecay times a weight from it. Default: 0.01.
   *
   * @param weightDecay the value
   * @return this
   */
  public AdamWOptions weightDecay(double weightDecay) {
    this.weightDecay = weightDecay;
    return this;
  }

  /** {@return the value set by {@link #weightDecay(double)}} */
  public double weightDecay() {
    return weightDecay;
  }

  /**
   * True: only parameters of two dimensions or more decay, biases and norms do not; false: all decay. Default: false.
   *
   * @param decayMatricesOnly the value
   * @return this
   */
  public AdamWOptions decayMatricesOnly(boolean decayMatricesOnly) {
    this.decayMatricesOnly = decayMatricesOnly;
    return this;
  }

  /** {@return the value set by {@link #decayMatricesOnly(boolean)}} */
  public boolean decayMatricesOnly() {
    return decayMatricesOnly;
  }

  /** Calls with these values, and keeps them alive during the call. */
  void with(NativeObject.Into<ckpt_adamw_options> call) {
    try (ckpt_adamw_options struct = new ckpt_adamw_options()) {
      struct.setLearning_rate(learningRate);
      struct.setBeta1(beta1);
      struct.setBeta2(beta2);
      struct.setEpsilon(epsilon);
      struct.setWeight_decay(weightDecay);
      struct.setDecay_matrices_only(decayMatricesOnly ? 1 : 0);
      call.call(struct);
    } finally {
      Reference.reachabilityFence(this);
    }
  }
}
