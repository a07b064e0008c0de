package org.ckpt;

/** How the bytes of a save are taken. */
public enum AsyncMode {
  /** Copied before the call returns. */
  COPY(0),

  /** Never copied as a whole: nobody may write to the tensors until the save is staged, which is shortly before it ends. */
  BORROW(1),

  /** Copied in the background: nobody may write to the tensors until the save is staged, which is soon. */
  DEFERRED(2);

  private final int number;

  AsyncMode(int number) {
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

  static AsyncMode of(int number) {
    for (AsyncMode one : values()) {
      if (one.number == number) return one;
    }
    throw new InternalException("AsyncMode " + number + " is unknown to this version");
  }
}
