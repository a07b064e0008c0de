// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/** How large files are written. Each way falls back to the next where the system or the file does not support it. */
public enum WritePath {
  /**
   * Large files are written past the page cache (O_DIRECT), eight chunks of 4 MiB under way by io_uring; falls back to {@link
   * WritePath#DIRECT} where the system or the file does not support it.
   */
  RING(0),

  /**
   * Large files are written past the page cache (O_DIRECT), one chunk after the other; falls back to {@link WritePath#BUFFERED}
   * where the system or the file does not support it.
   */
  DIRECT(1),

  /** Large files are written through the page cache. */
  BUFFERED(2),

  /** A number that this version does not know: a newer library has it. */
  UNKNOWN(Integer.MIN_VALUE);

  private static final WritePath[] KNOWN = values();
  private final int number;

  WritePath(int number) {
    this.number = number;
  }

  /** {@return the number in the C API, fixed for ever} */
  public int number() {
    return number;
  }

  static WritePath of(int number) {
    for (WritePath one : KNOWN) {
      if (one.number == number) return one;
    }
    return UNKNOWN;
  }
}
