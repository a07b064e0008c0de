package org.ckpt;

/** How a controller decides when to save. */
public enum Policy {
  /** Experts on the failure rate, weighed by what each would have cost so far. */
  AUTO(0),

  /** The threshold rule on the last observed task. */
  THRESHOLD(1),

  /** The expected-value interval with the learned rate. */
  EXPECTED_VALUE(2),

  /** Young's interval with a given MTBF and the measured cost. */
  YOUNG(3),

  /** Daly's interval, the same. */
  DALY(4),

  /** Daly's interval for the mean of a Gamma posterior. */
  BAYES(5),

  /** An interval by a Weibull law fitted to the last gaps. */
  WEIBULL(6),

  /** A given interval. */
  FIXED(7);

  private final int number;

  Policy(int number) {
    this.number = number;
  }

  /**
   * The number in the C API.
   *
   * @return fixed for ever
   */
  public int number() {
    return number;
  }

  static Policy of(int number) {
    for (Policy one : values()) {
      if (one.number == number) return one;
    }
    throw new InternalException("Policy " + number + " is unknown to this version");
  }
}
