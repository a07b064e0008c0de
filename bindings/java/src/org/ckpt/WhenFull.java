package org.ckpt;

/** What happens to a task when the queue is full. */
public enum WhenFull {
  /** QueueFullException at once. */
  REFUSE(0),

  /** Waits for a place until the time-out, then QueueFullException. */
  WAIT(1),

  /** The oldest task that no worker has begun makes place and ends REJECTED. */
  DROP_OLDEST(2);

  private final int number;

  WhenFull(int number) {
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

  static WhenFull of(int number) {
    for (WhenFull one : values()) {
      if (one.number == number) return one;
    }
    throw new InternalException("WhenFull " + number + " is unknown to this version");
  }
}
