// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/** The activity of a stage in an interval of a step. */
public enum IntervalKind {
  /** The stage runs a forward part. */
  FORWARD(1),

  /** The stage runs a forward part again. */
  RECOMPUTE(2),

  /** The stage runs a backward part. */
  BACKWARD(3),

  /** The stage sends, or waits for a neighbour. */
  WAIT(4),

  /** A number of a newer version of the library. */
  UNKNOWN(Integer.MIN_VALUE);

  private static final IntervalKind[] KNOWN = values();
  private final int number;

  IntervalKind(int number) {
    this.number = number;
  }

  /** {@return the number in the C API, which never changes} */
  public int number() {
    return number;
  }

  static IntervalKind of(int number) {
    for (IntervalKind one : KNOWN) {
      if (one.number == number) return one;
    }
    return UNKNOWN;
  }
}
