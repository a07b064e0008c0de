// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/** How a controller decides when to save. */
public enum Policy {
  /** Experts on the failure rate, weighted by what each would have cost on every gap so far. */
  AUTO(0),

  /** The threshold rule on the last observed task; a commit consumes the slot. */
  THRESHOLD(1),

  /** The interval at which expected loss and cost of a checkpoint are equal, with the learned failure rate. */
  EXPECTED_VALUE(2),

  /** Young's interval with a set mean time between failures and the measured cost. */
  YOUNG(3),

  /** Daly's interval with a set mean time between failures and the measured cost. */
  DALY(4),

  /** Daly's interval for the mean of a Gamma posterior: prior 1 failure in 1 h. */
  BAYES(5),

  /** The interval for a Weibull law fitted to the last 512 gaps, at the age of the current one. */
  WEIBULL(6),

  /** A set interval. */
  FIXED(7),

  /** A number that this version does not know: a newer library has it. */
  UNKNOWN(Integer.MIN_VALUE);

  private static final Policy[] KNOWN = values();
  private final int number;

  Policy(int number) {
    this.number = number;
  }

  /** {@return the number in the C API, fixed for ever} */
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
