package org.ckpt;

/** Formulas for the work between two checkpoints. Seconds; all arguments above 0 and finite. */
public final class Intervals extends IntervalsMethods {
  private Intervals() {}

  /**
   * The interval for the hazard of a Weibull law.
   *
   * @param costSeconds of a checkpoint
   * @param law of the failures
   * @param ageSeconds since the last failure
   * @return seconds
   */
  public static double weibull(double costSeconds, WeibullLaw law, double ageSeconds) {
    return NativeObject.real(
        out -> Native.ckpt_interval_weibull(costSeconds, law.shape(), law.scaleSeconds(), ageSeconds, out));
  }
}
