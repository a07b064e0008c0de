package org.ckpt;

/** Formulas for the work between two checkpoints. Seconds; all arguments above 0 and finite. */
public final class Intervals {
  private Intervals() {}

  /**
   * Young's first order optimum, sqrt(2 C M).
   *
   * @param costSeconds of a checkpoint
   * @param mtbfSeconds mean time between failures
   * @return seconds
   */
  public static double young(double costSeconds, double mtbfSeconds) {
    return NativeObject.real(out -> Native.ckpt_interval_young(costSeconds, mtbfSeconds, out));
  }

  /**
   * Daly's higher order optimum.
   *
   * @param costSeconds of a checkpoint
   * @param mtbfSeconds mean time between failures
   * @return seconds
   */
  public static double daly(double costSeconds, double mtbfSeconds) {
    return NativeObject.real(out -> Native.ckpt_interval_daly(costSeconds, mtbfSeconds, out));
  }

  /**
   * The work at which what a failure is expected to cost equals what a checkpoint costs.
   *
   * @param costSeconds of a checkpoint
   * @param mtbfSeconds mean time between failures
   * @return seconds
   */
  public static double expectedValue(double costSeconds, double mtbfSeconds) {
    return NativeObject.real(out -> Native.ckpt_interval_expected_value(costSeconds, mtbfSeconds, out));
  }

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
