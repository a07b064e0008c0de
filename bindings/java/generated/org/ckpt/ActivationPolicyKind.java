// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/** How it is decided which micro-batches' activations stay from forward to backward. The others are computed again. */
public enum ActivationPolicyKind {
  /** The activations of all micro-batches stay from forward to backward: most memory, fastest backward. */
  STORE_ALL(1),

  /** No micro-batch's activations stay, all are computed again: least memory, slowest backward. */
  RECOMPUTE_ALL(2),

  /** The activations of every interval-th micro-batch stay, and always those of the first and the last. */
  SELECTIVE(3),

  /**
   * The activations that fit thresholdBytes stay: when a store would pass it, the oldest are dropped first; the first and the last
   * stay whatever their size, any other that does not fit beside them is not stored.
   */
  MEMORY_BASED(4),

  /**
   * The activations stay that a strategy answers yes to; it is asked with the stage's name and the micro-batch. A memory-aware
   * strategy, or a composite that contains one, is {@link Status#INVALID_ARGUMENT}: under pressure it answers yes more often;
   * not(memory-aware) is its inverse, also inside composites.
   */
  STRATEGY(5),

  /**
   * Picked when a step begins by pressure: below 0.5 store-all, below 0.7 selective with an interval of at least 2, below 0.9
   * memory-based among those that selective would store, else recompute-all. Pressure is the tracker's live bytes over its limit,
   * if it has one; else the process's resident bytes, without a pipeline's own arenas, over memoryLimitBytes. Whatever is picked,
   * an activation is only stored if it fits what the limit leaves, of which each stage of a pipeline has an equal part: a higher
   * pressure never stores more. thresholdBytes of the policy in force is that bound. Each pick is logged (INFO).
   */
  AUTOMATIC(6),

  /** A number that this version does not know: a newer library has it. */
  UNKNOWN(Integer.MIN_VALUE);

  private static final ActivationPolicyKind[] KNOWN = values();
  private final int number;

  ActivationPolicyKind(int number) {
    this.number = number;
  }

  /** {@return the number in the C API, fixed for ever} */
  public int number() {
    return number;
  }

  static ActivationPolicyKind of(int number) {
    for (ActivationPolicyKind one : KNOWN) {
      if (one.number == number) return one;
    }
    return UNKNOWN;
  }
}
