package org.ckpt;

/** Which micro-batches' activations stay from forward to backward. */
public enum ActivationPolicyKind {
  /** All. */
  STORE_ALL(1),

  /** None. */
  RECOMPUTE_ALL(2),

  /** Every interval-th, and always the first and the last. */
  SELECTIVE(3),

  /** What fits a number of bytes. */
  MEMORY_BASED(4),

  /** What a strategy answers yes to. */
  STRATEGY(5),

  /** Picked when a step begins, by how full memory is. */
  AUTOMATIC(6);

  private final int number;

  ActivationPolicyKind(int number) {
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

  static ActivationPolicyKind of(int number) {
    for (ActivationPolicyKind one : values()) {
      if (one.number == number) return one;
    }
    throw new InternalException("ActivationPolicyKind " + number + " is unknown to this version");
  }
}
