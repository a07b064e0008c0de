// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/** The treatment of unfinished tasks when a manager is closed. */
public enum CloseMode {
  /** Queued tasks are completed first. */
  DRAIN(0),

  /** Queued and uncommitted tasks are cancelled. */
  CANCEL(1),

  /**
   * Queued tasks are completed first; a failure that the call returns does not count as reported, so the release of the manager
   * reports it again. For the end of a scope that cannot raise an error.
   */
  DRAIN_UNREPORTED(2),

  /** A number of a newer version of the library. */
  UNKNOWN(Integer.MIN_VALUE);

  private static final CloseMode[] KNOWN = values();
  private final int number;

  CloseMode(int number) {
    this.number = number;
  }

  /** {@return the number in the C API, which never changes} */
  public int number() {
    return number;
  }

  static CloseMode of(int number) {
    for (CloseMode one : KNOWN) {
      if (one.number == number) return one;
    }
    return UNKNOWN;
  }
}
