package org.ckpt;

/** What becomes of tasks when a manager closes. */
public enum CloseMode {
  /** What is queued is done first. */
  DRAIN(0),

  /** What is queued or not yet committed is cancelled. */
  CANCEL(1);

  private final int number;

  CloseMode(int number) {
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

  static CloseMode of(int number) {
    for (CloseMode one : values()) {
      if (one.number == number) return one;
    }
    throw new InternalException("CloseMode " + number + " is unknown to this version");
  }
}
