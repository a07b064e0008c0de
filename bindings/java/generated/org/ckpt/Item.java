// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/**
 * The kind of an item in memory. INPUT(i) and GRAD(i) have the bytes of x_i, TAPE(i, option) the layer's tape bytes under that
 * option.
 */
public enum Item {
  /** No item. */
  NONE(0),

  /** INPUT(i): x_i, i = 0 .. n; its bytes are those of x_i. INPUT(0) exists when a step begins; INPUT(n) is the chain's output. */
  INPUT(1),

  /** TAPE(i, option): the values that layer i recorded for its backward; its bytes are the layer's tape bytes under that option. */
  TAPE(2),

  /** GRAD(i): the gradient with respect to x_i; its bytes are those of x_i. */
  GRAD(3),

  /** A number of a newer version of the library. */
  UNKNOWN(Integer.MIN_VALUE);

  private static final Item[] KNOWN = values();
  private final int number;

  Item(int number) {
    this.number = number;
  }

  /** {@return the number in the C API, which never changes} */
  public int number() {
    return number;
  }

  static Item of(int number) {
    for (Item one : KNOWN) {
      if (one.number == number) return one;
    }
    return UNKNOWN;
  }
}
