package org.ckpt;

/** A strategy of your own, for {@link Strategy#custom}. Runs on the thread that asks, on several at once; may block. */
@FunctionalInterface
public interface CheckpointStrategy {
  /**
   * Whether to checkpoint a layer. What it throws makes the question fail with {@link CallbackException}.
   *
   * @param question about one layer
   * @return yes or no
   */
  boolean shouldCheckpoint(StrategyQuestion question);

  /** The strategy is reset. */
  default void reset() {}

  /**
   * The executor used the activation of a layer.
   *
   * @param layerName the layer
   */
  default void observeAccess(String layerName) {}
}
