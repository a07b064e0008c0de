// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/** The policy by which a controller decides when to save. */
public enum Policy {
  /**
   * A weighted combination of estimators of the failure rate; weights follow the cost that each would have had on every gap so far.
   */
  AUTO(0),

  /** The threshold rule, applied to the last observed task; a commit consumes the slot. */
  THRESHOLD(1),

  /** The interval at which the expected loss and the cost of a checkpoint are equal, with the estimated failure rate. */
  EXPECTED_VALUE(2),

  /** Young's interval with a given mean time between failures and the measured cost. */
  YOUNG(3),

  /** Daly's interval with a given mean time between failures and the measured cost. */
  DALY(4),

  /** Daly's interval for the mean of a Gamma posterior: prior 1 failure in 1 h. */
  BAYES(5),

  /** The interval for a Weibull distribution fitted to the last 512 gaps, at the age of the current gap. */
  WEIBULL(6),

  /** A fixed, given interval. */
  FIXED(7),

  /** A number of a newer version of the library. */
  UNKNOWN(Integer.MIN_VALUE);

  private static final Policy[] KNOWN = values();
  private final int number;

  Policy(int number) {
    this.number = number;
  }

  /** {@return the number in the C API, which never changes} */
  public int number() {
    return number;
  }

  static Policy of(int number) {
    for (Policy one : KNOWN) {
      if (one.number == number) return one;
    }
    return UNKNOWN;
  }
}
