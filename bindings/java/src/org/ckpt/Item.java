package org.ckpt;

/** What memory holds. */
public enum Item {
  /** Nothing. */
  NONE(0),

  /** The input of a layer. */
  INPUT(1),

  /** What a layer recorded for its backward. */
  TAPE(2),

  /** The gradient of a layer's input. */
  GRAD(3);

  private final int number;

  Item(int number) {
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

  static Item of(int number) {
    for (Item one : values()) {
      if (one.number == number) return one;
    }
    throw new InternalException("Item " + number + " is unknown to this version");
  }
}
