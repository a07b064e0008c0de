// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/** The severity of a log message. */
public enum LogLevel {
  /** Details for the development of the library. */
  DEBUG(0),

  /** Actions and decisions of the library. */
  INFO(1),

  /** Something went wrong, and the library continues. */
  WARNING(2),

  /** Something failed. */
  ERROR(3),

  /** A number of a newer version of the library. */
  UNKNOWN(Integer.MIN_VALUE);

  private static final LogLevel[] KNOWN = values();
  private final int number;

  LogLevel(int number) {
    this.number = number;
  }

  /** {@return the number in the C API, which never changes} */
  public int number() {
    return number;
  }

  static LogLevel of(int number) {
    for (LogLevel one : KNOWN) {
      if (one.number == number) return one;
    }
    return UNKNOWN;
  }
}
