// Made from include/ckpt by tools/api: do not edit.
package org.ckpt;

/** How many threads may use a queue of words. */
public enum WordQueueKind {
  /** A queue for one pushing and one popping thread at a time. */
  SPSC(0),

  /** A queue for any number of threads: synchronised. */
  MPMC(1),

  /** A number that this version does not know: a newer library has it. */
  UNKNOWN(Integer.MIN_VALUE);

  private static final WordQueueKind[] KNOWN = values();
  private final int number;

  WordQueueKind(int number) {
    this.number = number;
  }

  /** {@return the number in the C API, fixed for ever} */
  public int number() {
    return number;
  }

  static WordQueueKind of(int number) {
    for (WordQueueKind one : KNOWN) {
      if (one.number == number) return one;
    }
    return UNKNOWN;
  }
}
