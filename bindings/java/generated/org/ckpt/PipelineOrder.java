// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/**
 * The order in which stages run the forward and backward parts of micro-batches. In each of them gradients are added in the order
 * of micro-batches.
 */
public enum PipelineOrder {
  /** All forwards, then all backwards. Source: Huang et al., "GPipe", arXiv:1811.06965. */
  GPIPE(1),

  /**
   * After a warm-up alternately one forward, one backward: stage p of P holds at most P - p micro-batches. Source: Narayanan et
   * al., "Memory-efficient pipeline-parallel DNN training" (PipeDream-flush), arXiv:2006.09503.
   */
  ONE_FORWARD_ONE_BACKWARD(2),

  /**
   * 1F1B over several chunks per stage; microBatches is a multiple of stages. Source: Narayanan et al., "Efficient large-scale
   * language model training on GPU clusters using Megatron-LM", arXiv:2104.04473.
   */
  INTERLEAVED(3),

  /** A number of a newer version of the library. */
  UNKNOWN(Integer.MIN_VALUE);

  private static final PipelineOrder[] KNOWN = values();
  private final int number;

  PipelineOrder(int number) {
    this.number = number;
  }

  /** {@return the number in the C API, which never changes} */
  public int number() {
    return number;
  }

  static PipelineOrder of(int number) {
    for (PipelineOrder one : KNOWN) {
      if (one.number == number) return one;
    }
    return UNKNOWN;
  }
}
