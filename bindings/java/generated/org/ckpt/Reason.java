// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/** The reason for a decision of a controller. */
public enum Reason {
  /** No: no save is due yet. */
  NOT_DUE(0),

  /** Yes: this poll is the nearest to the target. */
  DUE(1),

  /** Yes: early, to measure the cost of a save. */
  FIRST_SAVE(2),

  /** Yes, by the threshold rule: the task is long enough. */
  TASK_IS_LONG(3),

  /** No, by the threshold rule: the task is too short, or no slot is left. */
  TASK_IS_SHORT(4),

  /** No: the previous save is not durable yet. */
  SAVE_IN_FLIGHT(5),

  /** No: the budget of this window is spent. */
  BUDGET_IS_SPENT(6),

  /** Yes: the process will be terminated. */
  PREEMPTION(7),

  /** No: the process will be terminated before a save could be durable. */
  PREEMPTION_SHORT(8),

  /** No: the process will be terminated, and a save after the notice is durable. */
  PREEMPTION_SAVED(9),

  /** A number of a newer version of the library. */
  UNKNOWN(Integer.MIN_VALUE);

  private static final Reason[] KNOWN = values();
  private final int number;

  Reason(int number) {
    this.number = number;
  }

  /** {@return the number in the C API, which never changes} */
  public int number() {
    return number;
  }

  static Reason of(int number) {
    for (Reason one : KNOWN) {
      if (one.number == number) return one;
    }
    return UNKNOWN;
  }
}
