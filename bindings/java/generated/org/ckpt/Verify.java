// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/** The level of checks on the bytes that are read. */
public enum Verify {
  /** No checksums are checked; sizes, headers and manifest are still checked. */
  NONE(0),

  /** Checks the checksum of every byte that is loaded. */
  FULL(1),

  /** Only for readers: checks the checksum of a tensor at the first access. */
  LAZY(2),

  /** A number of a newer version of the library. */
  UNKNOWN(Integer.MIN_VALUE);

  private static final Verify[] KNOWN = values();
  private final int number;

  Verify(int number) {
    this.number = number;
  }

  /** {@return the number in the C API, which never changes} */
  public int number() {
    return number;
  }

  static Verify of(int number) {
    for (Verify one : KNOWN) {
      if (one.number == number) return one;
    }
    return UNKNOWN;
  }
}
