// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/** A list of names, globs or rules of a strategy. */
public enum StrategyList {
  /** The names and globs of chosen layers. */
  NAMES(0),

  /** The names and globs of excluded layers. */
  EXCLUDED(1),

  /** The rules of first. */
  RULES(2),

  /** A number of a newer version of the library. */
  UNKNOWN(Integer.MIN_VALUE);

  private static final StrategyList[] KNOWN = values();
  private final int number;

  StrategyList(int number) {
    this.number = number;
  }

  /** {@return the number in the C API, which never changes} */
  public int number() {
    return number;
  }

  static StrategyList of(int number) {
    for (StrategyList one : KNOWN) {
      if (one.number == number) return one;
    }
    return UNKNOWN;
  }
}
