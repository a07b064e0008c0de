// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/** The methods of {@link Intervals} that are one call of the C API. */
abstract class IntervalsMethods {
  /**
   * Returns the work between two checkpoints that cost costSeconds each on a machine with this mean time between failures: sqrt(2 C
   * M). Both &gt; 0 and finite. Source: Young, "A first order approximation to the optimum checkpoint interval", CACM 17(9), 1974.
   */
  public static double young(double costSeconds, double mtbfSeconds) {
    return NativeObject.real(out -> Native.ckpt_interval_young(costSeconds, mtbfSeconds, out));
  }

  /**
   * Returns the work between two checkpoints as {@code Intervals.young}, to a higher order: sqrt(2CM) (1 + sqrt(C/2M)/3 + (C/2M)/9)
   * - C for C &lt; 2M, else M. Source: Daly, "A higher order estimate of the optimum checkpoint interval for restart dumps", Future
   * Generation Computer Systems 22(3), 2006.
   */
  public static double daly(double costSeconds, double mtbfSeconds) {
    return NativeObject.real(out -> Native.ckpt_interval_daly(costSeconds, mtbfSeconds, out));
  }

  /**
   * Returns the work W at which P(failure before the next checkpoint, another W away) * W = (1 - P) * cost, for exponential
   * failures. Both arguments &gt; 0 and finite.
   */
  public static double expectedValue(double costSeconds, double mtbfSeconds) {
    return NativeObject.real(out -> Native.ckpt_interval_expected_value(costSeconds, mtbfSeconds, out));
  }
}
