// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/** Which tasks begin first. */
public enum Priority {
  /** Begins after all tasks of a higher priority. */
  LOW(-1),

  /** Begins after tasks of high priority and before tasks of low priority. */
  NORMAL(0),

  /** Begins before all tasks of a lower priority. */
  HIGH(1),

  /** A number that this version does not know: a newer library has it. */
  UNKNOWN(Integer.MIN_VALUE);

  private static final Priority[] KNOWN = values();
  private final int number;

  Priority(int number) {
    this.number = number;
  }

  /** {@return the number in the C API, fixed for ever} */
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
