package org.ckpt;

/** Computes a stage's activation for one micro-batch, for {@link ActivationManager}. Runs on the thread that requests the
 * activation; may block. */
@FunctionalInterface
public interface StageForward {
  /**
   * Computes the activation.
   *
   * @param input valid during the call only, unless shared
   * @param microBatch number of the micro-batch
   * @return the activation, which stays the caller's: the manager takes a separate reference
   */
  Tensor forward(Tensor input, int microBatch);
}
