// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/** The order in which tasks start. */
public enum Priority {
  /** Starts after all tasks of a higher priority. */
  LOW(-1),

  /** Starts after tasks of high priority and before tasks of low priority. */
  NORMAL(0),

  /** Starts before all tasks of a lower priority. */
  HIGH(1),

  /** A number of a newer version of the library. */
  UNKNOWN(Integer.MIN_VALUE);

  private static final Priority[] KNOWN = values();
  private final int number;

  Priority(int number) {
    this.number = number;
  }

  /** {@return the number in the C API, which never changes} */
  public int number() {
    return number;
  }

  static Priority of(int number) {
    for (Priority one : KNOWN) {
      if (one.number == number) return one;
    }
    return UNKNOWN;
  }
}
