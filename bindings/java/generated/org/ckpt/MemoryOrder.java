// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/** The order of layers in a snapshot. */
public enum MemoryOrder {
  /** Layers in the order of their numbers, the lowest first. */
  ID(0),

  /** Layers in the order of their live bytes, the most first. */
  CURRENT(1),

  /** Layers in the order of their peaks, the highest first. */
  PEAK(2),

  /** A number of a newer version of the library. */
  UNKNOWN(Integer.MIN_VALUE);

  private static final MemoryOrder[] KNOWN = values();
  private final int number;

  MemoryOrder(int number) {
    this.number = number;
  }

  /** {@return the number in the C API, which never changes} */
  public int number() {
    return number;
  }

  static MemoryOrder of(int number) {
    for (MemoryOrder one : KNOWN) {
      if (one.number == number) return one;
    }
    return UNKNOWN;
  }
}
