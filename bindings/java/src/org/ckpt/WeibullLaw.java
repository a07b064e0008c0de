package org.ckpt;

/**
 * A Weibull distribution of the gaps between failures.
 *
 * @param shape below 1: failures become rarer with age
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
   * Fits a law to gaps, some of which ended without a failure.
   *
   * @param gapSeconds lengths of the gaps
   * @param failed for each gap whether it ended in a failure; none: all did
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
