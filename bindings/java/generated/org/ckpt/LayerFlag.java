// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/** Properties of a layer's backward and recomputation for planning: a sum of flags. */
public final class LayerFlag {
  /** Backward reads the layer's input. */
  public static final int NEEDS_INPUT = 1;

  /** Backward reads the layer's output. */
  public static final int NEEDS_OUTPUT = 2;

  /** Recomputing forward produces the same bits; without this flag the layer is never recomputed. */
  public static final int DETERMINISTIC = 4;

  /**
   * Backward computes no gradient of the input: only for layer 0 of a chain, and for layers of a graph that read only value 0, with
   * an input that has no gradient (tokens).
   */
  public static final int NO_INPUT_GRADIENT = 8;

  /**
   * Forward may write its output over its input, and backward the gradient of its input over that of its output: an element-wise
   * layer. After the first layer of a FORWARD, the layer writes its output into the buffer of its input, and its BACKWARD writes
   * GRAD(i) into the buffer of GRAD(i+1); while the layer runs that buffer counts the larger of the two.
   */
  public static final int IN_PLACE = 16;

  /**
   * Backward can add to an existing gradient of its input; without this flag it writes a second buffer, which is then added. Used
   * in graphs, for a value that several layers read.
   */
  public static final int ADDS_GRADIENT = 32;

  private LayerFlag() {}
}
