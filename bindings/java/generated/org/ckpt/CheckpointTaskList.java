// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/** A list of tasks. */
public enum CheckpointTaskList {
  /** The tasks that have not ended, the oldest first. */
  LIVE(0),

  /** The tasks that have ended and are in the history, in the order in which they ended. */
  ENDED(1),

  /** A number of a newer version of the library. */
  UNKNOWN(Integer.MIN_VALUE);

  private static final CheckpointTaskList[] KNOWN = values();
  private final int number;

  CheckpointTaskList(int number) {
    this.number = number;
  }

  /** {@return the number in the C API, which never changes} */
  public int number() {
    return number;
  }

  static CheckpointTaskList of(int number) {
    for (CheckpointTaskList one : KNOWN) {
      if (one.number == number) return one;
    }
    return UNKNOWN;
  }
}
