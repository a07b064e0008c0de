// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/** Which element types a load converts. */
public enum Conversion {
  /** No conversion: the state's tensors must have the element types of the checkpoint. */
  NONE(0),

  /**
   * Elements are converted only to types that represent all their values: F16 and BF16 to F32 and F64, F32 to F64, integers to
   * wider integers that include their range, and to F32 and F64 where these represent all of them.
   */
  LOSSLESS(1),

  /**
   * Any integers of 8 to 64 bits and floating-point numbers of 16 to 64 bits are converted to any others of these: rounded to the
   * nearest, ties to even; to integers only from whole numbers. A value outside the range of the other type is an error.
   */
  LOSSY(2),

  /** A number of a newer version of the library. */
  UNKNOWN(Integer.MIN_VALUE);

  private static final Conversion[] KNOWN = values();
  private final int number;

  Conversion(int number) {
    this.number = number;
  }

  /** {@return the number in the C API, which never changes} */
  public int number() {
    return number;
  }

  static Conversion of(int number) {
    for (Conversion one : KNOWN) {
      if (one.number == number) return one;
    }
    return UNKNOWN;
  }
}
