// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/** Which metric is the best. */
public enum BestMetric {
  /** The best metric is the smallest. */
  SMALLEST(0),

  /** The best metric is the largest. */
  LARGEST(1),

  /** A number that this version does not know: a newer library has it. */
  UNKNOWN(Integer.MIN_VALUE);

  private static final BestMetric[] KNOWN = values();
  private final int number;

  BestMetric(int number) {
    this.number = number;
  }

  /** {@return the number in the C API, fixed for ever} */
  public int number() {
    return number;
  }

  static BestMetric of(int number) {
    for (BestMetric one : KNOWN) {
      if (one.number == number) return one;
    }
    return UNKNOWN;
  }
}
