// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/** The operation of a task. */
public enum CheckpointTaskKind {
  /** Saves a state. */
  SAVE(0),

  /** Loads a state. */
  LOAD(1),

  /** A number of a newer version of the library. */
  UNKNOWN(Integer.MIN_VALUE);

  private static final CheckpointTaskKind[] KNOWN = values();
  private final int number;

  CheckpointTaskKind(int number) {
    this.number = number;
  }

  /** {@return the number in the C API, which never changes} */
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
