package org.ckpt;

/** What happened to a tracker's allocations. */
public enum MemoryEventKind {
  /** An allocation was booked. */
  ALLOCATED(1),

  /** One was freed. */
  FREED(2),

  /** The live total is higher than ever. */
  NEW_PEAK(4),

  /** The live total rose above the limit. */
  LIMIT_EXCEEDED(8);

  private final int number;

  MemoryEventKind(int number) {
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

  static MemoryEventKind of(int number) {
    for (MemoryEventKind one : values()) {
      if (one.number == number) return one;
    }
    throw new InternalException("MemoryEventKind " + number + " is unknown to this version");
  }
}
