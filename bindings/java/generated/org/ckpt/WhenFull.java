// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/** What happens to a task when the queue is full. */
public enum WhenFull {
  /** Fail with {@link Status#QUEUE_FULL} at once. */
  REFUSE(0),

  /** Wait for a place until the time-out has passed, then fail with {@link Status#QUEUE_FULL}; waiting for ever opens all gates. */
  WAIT(1),

  /**
   * The oldest task that no worker has begun makes place and ends {@link CheckpointTaskState#REJECTED}; {@link Status#QUEUE_FULL}
   * when there is none.
   */
  DROP_OLDEST(2),

  /** A number that this version does not know: a newer library has it. */
  UNKNOWN(Integer.MIN_VALUE);

  private static final WhenFull[] KNOWN = values();
  private final int number;

  WhenFull(int number) {
    this.number = number;
  }

  /** {@return the number in the C API, fixed for ever} */
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
