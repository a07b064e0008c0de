package org.ckpt;

/** What a strategy's yes means. */
public enum StrategyChosen {
  /** In a config: what is usual for the kind. */
  DEFAULT(0),

  /** A chosen layer keeps only its input and runs again in backward. */
  RECOMPUTE(1),

  /** Inputs of chosen layers are kept; each stretch between them is recomputed as one segment. */
  BOUNDARY(2);

  private final int number;

  StrategyChosen(int number) {
    this.number = number;
  }

  /**
   * The number in the C API.
   *
   * @return fixed for ever
   */
  public int number() {
    return number;
  }

  static StrategyChosen of(int number) {
    for (StrategyChosen one : values()) {
      if (one.number == number) return one;
    }
    throw new InternalException("StrategyChosen " + number + " is unknown to this version");
  }
}
