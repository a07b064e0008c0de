package org.ckpt.compat;

/** The kinds of strategies that choose layers. */
public enum CheckpointStrategy {
  /** Every n-th layer. */
  INTERVAL,
  /** Layers that are named. */
  SELECTIVE,
  /** Large activations. */
  SIZE_BASED,
  /** Every n-th layer; n decreases while memory is short. */
  MEMORY_AWARE,
  /** Large, rarely used and late layers. */
  SMART
}
