// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/** The meaning of a strategy's yes for the layer. */
public enum StrategyChosen {
  /**
   * The default of the kind of strategy: {@link StrategyChosen#BOUNDARY} for interval, {@link StrategyChosen#RECOMPUTE} for all
   * others.
   */
  DEFAULT(0),

  /** A chosen layer keeps only its input and runs again in backward; all others are stored. */
  RECOMPUTE(1),

  /** Inputs of chosen layers are kept, and the layers between them are recomputed as one segment. */
  BOUNDARY(2),

  /** A number of a newer version of the library. */
  UNKNOWN(Integer.MIN_VALUE);

  private static final StrategyChosen[] KNOWN = values();
  private final int number;

  StrategyChosen(int number) {
    this.number = number;
  }

  /** {@return the number in the C API, which never changes} */
  public int number() {
    return number;
  }

  static StrategyChosen of(int number) {
    for (StrategyChosen one : KNOWN) {
      if (one.number == number) return one;
    }
    return UNKNOWN;
  }
}
