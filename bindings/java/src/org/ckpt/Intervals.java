package org.ckpt;

/** Formulas for the work between two checkpoints, in seconds. All arguments are above 0 and finite. */
public final class Intervals extends IntervalsMethods {
  private Intervals() {}

  /**
   * Returns the interval for the hazard of a Weibull law.
   *
   * @param costSeconds cost of a checkpoint
   * @param law distribution of the failures
   * @param ageSeconds time since the last failure
   * @return the interval in seconds
   */
  public static double weibull(double costSeconds, WeibullLaw law, double ageSeconds) {
    return NativeObject.real(
        out -> Native.ckpt_interval_weibull(costSeconds, law.shape(), law.scaleSeconds(), ageSeconds, out));
  }
}
