// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

import java.lang.ref.Reference;

/** A learning rate for each step: increases linearly over warmUpSteps, then decays to lastRate at stepCount. */
public final class LearningRateSchedule {
  private LearningRateKind kind = LearningRateKind.CONSTANT;
  private double peakRate = 1e-3;
  private double lastRate = 0;
  private long warmUpSteps = 0L;
  private long stepCount = 0L;

  /** All defaults. */
  public LearningRateSchedule() {}

  /**
   * Kind of decay. Default: {@link LearningRateKind#CONSTANT}.
   *
   * @param kind the value
   * @return this
   */
  public LearningRateSchedule kind(LearningRateKind kind) {
    this.kind = kind;
    return this;
  }

  /** {@return the value set by {@link #kind(LearningRateKind)}} */
  public LearningRateKind kind() {
    return kind;
  }

  /**
   * The highest rate, &gt;= 0: of the first step after the warm-up. Default: 1e-3.
   *
   * @param peakRate the value
   * @return this
   */
  public LearningRateSchedule peakRate(double peakRate) {
    this.peakRate = peakRate;
    return this;
  }

  /** {@return the value set by {@link #peakRate(double)}} */
  public double peakRate() {
    return peakRate;
  }

  /**
   * The rate at stepCount and later, 0 .. peakRate; not read when the kind is constant. Default: 0.
   *
   * @param lastRate the value
   * @return this
   */
  public LearningRateSchedule lastRate(double lastRate) {
    this.lastRate = lastRate;
    return this;
  }

  /** {@return the value set by {@link #lastRate(double)}} */
  public double lastRate() {
    return lastRate;
  }

  /**
   * Number of steps before the peak, &gt;= 0: step i of them has peakRate (i + 1) / (steps + 1). Default: 0.
   *
   * @param warmUpSteps the value
   * @return this
   */
  public LearningRateSchedule warmUpSteps(long warmUpSteps) {
    this.warmUpSteps = warmUpSteps;
    return this;
  }

  /** {@return the value set by {@link #warmUpSteps(long)}} */
  public long warmUpSteps() {
    return warmUpSteps;
  }

  /**
   * Number of steps of the run, &gt;= warmUpSteps; not read when the kind is constant. Default: 0.
   *
   * @param stepCount the value
   * @return this
   */
  public LearningRateSchedule stepCount(long stepCount) {
    this.stepCount = stepCount;
    return this;
  }

  /** {@return the value set by {@link #stepCount(long)}} */
  public long stepCount() {
    return stepCount;
  }

  /** Calls with these values, and keeps them alive during the call. */
  void with(NativeObject.Into<ckpt_learning_rate_schedule> call) {
    try (ckpt_learning_rate_schedule struct = new ckpt_learning_rate_schedule()) {
      struct.setKind(kind.number());
      struct.setPeak_rate(peakRate);
      struct.setLast_rate(lastRate);
      struct.setWarm_up_steps(warmUpSteps);
      struct.setStep_count(stepCount);
      call.call(struct);
    } finally {
      Reference.reachabilityFence(this);
    }
  }
}
