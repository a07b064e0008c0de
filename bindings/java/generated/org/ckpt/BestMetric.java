// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/** Which metric is the best. */
public enum BestMetric {
  /** The best metric is the smallest. */
  SMALLEST(0),

  /** The best metric is the largest. */
  LARGEST(1),

  /** A number of a newer version of the library. */
  UNKNOWN(Integer.MIN_VALUE);

  private static final BestMetric[] KNOWN = values();
  private final int number;

  BestMetric(int number) {
    this.number = number;
  }

  /** {@return the number in the C API, which never changes} */
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
