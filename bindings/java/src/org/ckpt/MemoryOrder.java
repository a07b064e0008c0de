package org.ckpt;

/** Order of the layers in a snapshot. */
public enum MemoryOrder {
  /** Lowest number first. */
  ID(0),

  /** Most live bytes first. */
  CURRENT(1),

  /** Highest peak first. */
  PEAK(2);

  private final int number;

  MemoryOrder(int number) {
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

  static MemoryOrder of(int number) {
    for (MemoryOrder one : values()) {
      if (one.number == number) return one;
    }
    throw new InternalException("MemoryOrder " + number + " is unknown to this version");
  }
}
