package org.ckpt;

/** What a layer's backward reads, and whether it may be run again: sums of these. */
public final class LayerFlags {
  /** Backward reads the layer's input. */
  public static final int NEEDS_INPUT = 1;

  /** Backward reads the layer's output. */
  public static final int NEEDS_OUTPUT = 2;

  /** Running forward again gives the same bits; without it the layer is never recomputed. */
  public static final int DETERMINISTIC = 4;

  /** Backward makes no input gradient: only for a chain's first layer. */
  public static final int NO_INPUT_GRADIENT = 8;

  /** What is usual. */
  public static final int DEFAULT = NEEDS_INPUT | DETERMINISTIC;

  private LayerFlags() {}
}
