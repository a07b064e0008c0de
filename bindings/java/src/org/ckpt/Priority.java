package org.ckpt;

/** Which of several tasks begins first. */
public enum Priority {
  /** After all others. */
  LOW(-1),

  /** What is usual. */
  NORMAL(0),

  /** Before all others. */
  HIGH(1);

  private final int number;

  Priority(int number) {
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

  static Priority of(int number) {
    for (Priority one : values()) {
      if (one.number == number) return one;
    }
    throw new InternalException("Priority " + number + " is unknown to this version");
  }
}
