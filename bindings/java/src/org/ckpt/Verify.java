package org.ckpt;

/** How much of what is read is checked. */
public enum Verify {
  /** Sizes, headers and manifest only. */
  NONE(0),

  /** The checksum of every byte. */
  FULL(1),

  /** Only for readers: what is touched, when it is first touched. */
  LAZY(2);

  private final int number;

  Verify(int number) {
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

  static Verify of(int number) {
    for (Verify one : values()) {
      if (one.number == number) return one;
    }
    throw new InternalException("Verify " + number + " is unknown to this version");
  }
}
