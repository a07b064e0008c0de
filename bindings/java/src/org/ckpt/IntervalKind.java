package org.ckpt;

/** What a stage does in an interval of a step. */
public enum IntervalKind {
  /** Runs layers forward. */
  FORWARD(1),

  /** Runs them again. */
  RECOMPUTE(2),

  /** Runs them backward. */
  BACKWARD(3),

  /** Sends, or waits for a neighbour. */
  WAIT(4);

  private final int number;

  IntervalKind(int number) {
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

  static IntervalKind of(int number) {
    for (IntervalKind one : values()) {
      if (one.number == number) return one;
    }
    throw new InternalException("IntervalKind " + number + " is unknown to this version");
  }
}
