package org.ckpt;

/**
 * How gaps between failures are distributed.
 *
 * @param shape below 1: failures get rarer with age
 * @param scaleSeconds the time within which 63% of the gaps end
 */
public record WeibullLaw(double shape, double scaleSeconds) {
  /**
   * Fits a law to gaps that all ended in a failure.
   *
   * @param gapSeconds at least two, not all of one length
   * @return the law of maximum likelihood
   */
  public static WeibullLaw fit(double... gapSeconds) {
    return fit(gapSeconds, new boolean[0]);
  }

  /**
   * Fits a law to gaps, of which some ended without a failure.
   *
   * @param gapSeconds how long they were
   * @param failed as many, or none: all failed
   * @return the law of maximum likelihood
   */
  public static WeibullLaw fit(double[] gapSeconds, boolean[] failed) {
    int[] flags = new int[failed.length];
    for (int i = 0; i < flags.length; ++i) flags[i] = failed[i] ? 1 : 0;
    double[] shape = new double[1];
    double[] scale = new double[1];
    Native.ckpt_weibull_fit(gapSeconds, flags, shape, scale);
    return new WeibullLaw(shape[0], scale[0]);
  }
}
