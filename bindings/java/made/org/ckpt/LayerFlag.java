// Made from include/ckpt by tools/api: do not edit.
package org.ckpt;

/** What planning must know of a layer's backward and of running it again: a sum of flags. */
public final class LayerFlag {
  /** Backward reads the layer's input. */
  public static final int NEEDS_INPUT = 1;

  /** Backward reads the layer's output. */
  public static final int NEEDS_OUTPUT = 2;

  /** Running forward again produces the same bits; without it the layer is never recomputed. */
  public static final int DETERMINISTIC = 4;

  /** Backward makes no gradient of the input: only for layer 0, whose input has no gradient (tokens). */
  public static final int NO_INPUT_GRADIENT = 8;

  private LayerFlag() {}
}
