// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/** How the bytes of a save are staged. */
public enum StagingMode {
  /** The tensors of a save are copied, by several threads, before the call returns: the save is then staged. */
  COPY(0),

  /**
   * The tensors of a save are never copied as a whole: no caller may write to them until the save is staged, shortly before it
   * ends. If a write is detected, the save fails with {@link Status#INVALID_STATE}; in any case the checksums of a checkpoint match
   * its bytes.
   */
  BORROW(1),

  /** The tensors of a save are copied in the background: no caller may write to them until the save is staged, after the copy. */
  DEFERRED(2),

  /** A number of a newer version of the library. */
  UNKNOWN(Integer.MIN_VALUE);

  private static final StagingMode[] KNOWN = values();
  private final int number;

  StagingMode(int number) {
    this.number = number;
  }

  /** {@return the number in the C API, which never changes} */
  public int number() {
    return number;
  }

  static StagingMode of(int number) {
    for (StagingMode one : KNOWN) {
      if (one.number == number) return one;
    }
    return UNKNOWN;
  }
}
