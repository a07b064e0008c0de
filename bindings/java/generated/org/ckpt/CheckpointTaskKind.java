// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/** The operation of a task. */
public enum CheckpointTaskKind {
  /** Saves a state. */
  SAVE(0),

  /** Loads a state. */
  LOAD(1),

  /** A number that this version does not know: a newer library has it. */
  UNKNOWN(Integer.MIN_VALUE);

  private static final CheckpointTaskKind[] KNOWN = values();
  private final int number;

  CheckpointTaskKind(int number) {
    this.number = number;
  }

  /** {@return the number in the C API, fixed for ever} */
  public int number() {
    return number;
  }

  static CheckpointTaskKind of(int number) {
    for (CheckpointTaskKind one : KNOWN) {
      if (one.number == number) return one;
    }
    return UNKNOWN;
  }
}
