// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/** What is checked where a layer runs forward again in a step. Each also checks what those before it do. */
public enum RecomputeCheck {
  /** Nothing is checked. */
  NONE(0),

  /**
   * The layer is asked again for element type and shape of its output, and for the bytes that its option needs: they are as they
   * were when the executor was made.
   */
  METADATA(1),

  /** The output has the hash of the first run's (XXH3-128): 16 bytes are kept of each output that is made again. */
  HASH(2),

  /**
   * The output has the bits of the first run's, which is kept beside the arena: as many bytes as all outputs that are made again.
   */
  BITWISE(3),

  /** A number that this version does not know: a newer library has it. */
  UNKNOWN(Integer.MIN_VALUE);

  private static final RecomputeCheck[] KNOWN = values();
  private final int number;

  RecomputeCheck(int number) {
    this.number = number;
  }

  /** {@return the number in the C API, fixed for ever} */
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
