// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/** Kind of an event of a memory tracker. A subscription is for a sum of kinds. */
public enum MemoryEventKind {
  /** An allocation of a layer was recorded. */
  ALLOCATED(1),

  /** An allocation was freed. */
  FREED(2),

  /** The live total reached a new peak. */
  NEW_PEAK(4),

  /** The live total rose above the limit, or a limit was set below it. */
  LIMIT_EXCEEDED(8),

  /** The sum of all kinds of events. */
  ALL(15),

  /** A number of a newer version of the library. */
  UNKNOWN(Integer.MIN_VALUE);

  private static final MemoryEventKind[] KNOWN = values();
  private final int number;

  MemoryEventKind(int number) {
    this.number = number;
  }

  /** {@return the number in the C API, which never changes} */
  public int number() {
    return number;
  }

  static MemoryEventKind of(int number) {
    for (MemoryEventKind one : KNOWN) {
      if (one.number == number) return one;
    }
    return UNKNOWN;
  }
}
