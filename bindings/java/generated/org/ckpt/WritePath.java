// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/** How large files are written. Each mode falls back to the next one if the system or the file does not support it. */
public enum WritePath {
  /**
   * Large files bypass the page cache (O_DIRECT), with eight chunks of 4 MiB in flight by io_uring; falls back to {@link
   * WritePath#DIRECT} if the system or the file does not support it.
   */
  RING(0),

  /**
   * Large files bypass the page cache (O_DIRECT), one chunk after the other; falls back to {@link WritePath#BUFFERED} if the system
   * or the file does not support it.
   */
  DIRECT(1),

  /** Large files are written through the page cache. */
  BUFFERED(2),

  /** A number of a newer version of the library. */
  UNKNOWN(Integer.MIN_VALUE);

  private static final WritePath[] KNOWN = values();
  private final int number;

  WritePath(int number) {
    this.number = number;
  }

  /** {@return the number in the C API, which never changes} */
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
