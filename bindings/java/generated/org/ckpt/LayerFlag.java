// Generated from include/ckpt by tools/api: do not edit.
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

  /**
   * Forward may write its output over its input, and backward the gradient of its input over that of its output: an element-wise
   * layer. Behind the first layer of a FORWARD, the layer's output is made in the buffer of its input, and its BACKWARD makes
   * GRAD(i) in the buffer of GRAD(i+1); meanwhile that buffer counts the larger of the two.
   */
  public static final int IN_PLACE = 16;

  private LayerFlag() {}
}
