// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/** The treatment of a new task when the queue is full. */
public enum WhenFull {
  /** Fails with {@link Status#QUEUE_FULL} at once. */
  REFUSE(0),

  /**
   * Waits for a place until the time-out expires, then fails with {@link Status#QUEUE_FULL}; waiting without a time-out opens all
   * gates.
   */
  WAIT(1),

  /**
   * Drops the oldest task that no worker has started, which ends {@link CheckpointTaskState#REJECTED}; fails with {@link
   * Status#QUEUE_FULL} if there is none.
   */
  DROP_OLDEST(2),

  /** A number of a newer version of the library. */
  UNKNOWN(Integer.MIN_VALUE);

  private static final WhenFull[] KNOWN = values();
  private final int number;

  WhenFull(int number) {
    this.number = number;
  }

  /** {@return the number in the C API, which never changes} */
  public int number() {
    return number;
  }

  static WhenFull of(int number) {
    for (WhenFull one : KNOWN) {
      if (one.number == number) return one;
    }
    return UNKNOWN;
  }
}
