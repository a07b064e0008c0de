// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/** The decay of a learning rate after its warm-up. */
public enum LearningRateKind {
  /** Stays at its peak. */
  CONSTANT(0),

  /** Decays linearly. */
  LINEAR(1),

  /** Decays along half a cosine. Source: Loshchilov, Hutter, "SGDR", arXiv:1608.03983. */
  COSINE(2),

  /** A number of a newer version of the library. */
  UNKNOWN(Integer.MIN_VALUE);

  private static final LearningRateKind[] KNOWN = values();
  private final int number;

  LearningRateKind(int number) {
    this.number = number;
  }

  /** {@return the number in the C API, which never changes} */
  public int number() {
    return number;
  }

  static LearningRateKind of(int number) {
    for (LearningRateKind one : KNOWN) {
      if (one.number == number) return one;
    }
    return UNKNOWN;
  }
}
