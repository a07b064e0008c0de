// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/** The rule that selects the micro-batches with activations that are kept from forward to backward. The others are recomputed. */
public enum ActivationPolicyKind {
  /** The activations of all micro-batches are kept from forward to backward: most memory, fastest backward. */
  STORE_ALL(1),

  /** No activations are kept, all are recomputed: least memory, slowest backward. */
  RECOMPUTE_ALL(2),

  /** The activations of every interval-th micro-batch are kept, and always those of the first and the last. */
  SELECTIVE(3),

  /**
   * Activations of at most thresholdBytes in total are kept: if a store would exceed it, the oldest are dropped first; those of the
   * first and the last micro-batch are kept regardless of their size, and any other that does not fit in the rest is not stored.
   */
  MEMORY_BASED(4),

  /**
   * Activations with a yes from a strategy are kept; the question has the stage's name and the micro-batch. A memory-aware
   * strategy, or a composite that contains one, is {@link Status#INVALID_ARGUMENT}, because under pressure it answers yes more
   * often; not(memory-aware) is its inverse and allowed, also inside composites.
   */
  STRATEGY(5),

  /**
   * Selected by memory pressure when a step begins: below 0.5 store-all, below 0.7 selective with an interval of at least 2, below
   * 0.9 memory-based among those that selective would store, else recompute-all. Pressure is the tracker's live bytes divided by
   * its limit, if it has one; else the process's resident bytes, without the arenas of a pipeline, divided by memoryLimitBytes. In
   * each case an activation is only stored if it fits in the remainder of the limit, which the stages of a pipeline share equally:
   * higher pressure never stores more. thresholdBytes of the policy in force is this bound. Each selection is logged (INFO).
   */
  AUTOMATIC(6),

  /** A number of a newer version of the library. */
  UNKNOWN(Integer.MIN_VALUE);

  private static final ActivationPolicyKind[] KNOWN = values();
  private final int number;

  ActivationPolicyKind(int number) {
    this.number = number;
  }

  /** {@return the number in the C API, which never changes} */
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
