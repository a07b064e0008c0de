package org.ckpt;

/**
 * Answers which layers to checkpoint: a {@link Strategy}, or one of your own, which is accepted wherever a strategy is. Runs on the
 * thread that asks, on several at once; may block.
 */
@FunctionalInterface
public interface CheckpointStrategy {
  /**
   * Whether to checkpoint a layer. What it throws makes the question fail with {@link CkptCallbackException}.
   *
   * @param question about one layer
   * @return yes or no
   */
  boolean shouldCheckpoint(StrategyQuestion question);

  /** Back to the state after creation. */
  default void reset() {}

  /**
   * The activation of a layer was used.
   *
   * @param layerName the layer
   */
  default void observeAccess(String layerName) {}
}
