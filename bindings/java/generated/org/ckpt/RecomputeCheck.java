// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/** The check of recomputed forwards in a step. Each level includes the checks of the lower ones. */
public enum RecomputeCheck {
  /** No check. */
  NONE(0),

  /**
   * The layer is asked again for element type and shape of its output, and for the bytes that its option needs; they must be as
   * when the executor was created.
   */
  METADATA(1),

  /** The output must have the hash (XXH3-128) of the first run's output; needs 16 bytes for each output that is recomputed. */
  HASH(2),

  /**
   * The output must have the bits of the first run's output; needs memory outside of the arena for all outputs that are recomputed.
   */
  BITWISE(3),

  /** A number of a newer version of the library. */
  UNKNOWN(Integer.MIN_VALUE);

  private static final RecomputeCheck[] KNOWN = values();
  private final int number;

  RecomputeCheck(int number) {
    this.number = number;
  }

  /** {@return the number in the C API, which never changes} */
  public int number() {
    return number;
  }

  static RecomputeCheck of(int number) {
    for (RecomputeCheck one : KNOWN) {
      if (one.number == number) return one;
    }
    return UNKNOWN;
  }
}
