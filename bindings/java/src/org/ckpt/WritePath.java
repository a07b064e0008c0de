package org.ckpt;

/** How large files are written; each falls back to the next where the system cannot have it. */
public enum WritePath {
  /** Past the page cache, eight chunks of 4 MiB under way by io_uring. */
  RING(0),

  /** Past the page cache, one chunk after the other. */
  DIRECT(1),

  /** Through the page cache. */
  BUFFERED(2);

  private final int number;

  WritePath(int number) {
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

  static WritePath of(int number) {
    for (WritePath one : values()) {
      if (one.number == number) return one;
    }
    throw new InternalException("WritePath " + number + " is unknown to this version");
  }
}
