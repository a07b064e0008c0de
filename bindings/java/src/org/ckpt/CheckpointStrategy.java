package org.ckpt;

/**
 * Decides which layers to checkpoint: a {@link Strategy}, or a custom implementation, which is accepted wherever a strategy is.
 * Runs on the thread that queries it, on several at once; may block.
 */
@FunctionalInterface
public interface CheckpointStrategy {
  /**
   * Returns whether to checkpoint a layer. If it throws, the query fails with {@link CkptCallbackException}.
   *
   * @param question about one layer
   * @return whether to checkpoint the layer
   */
  boolean shouldCheckpoint(StrategyQuestion question);

  /** Restores the state after creation. */
  default void reset() {}

  /**
   * Called when the activation of a layer was used.
   *
   * @param layerName name of the layer
   */
  default void observeAccess(String layerName) {}
}
