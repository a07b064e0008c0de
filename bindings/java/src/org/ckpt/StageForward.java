package org.ckpt;

/** Computes a stage's activation for one micro-batch, for {@link ActivationManager}. Runs on the thread that asks; may block. */
@FunctionalInterface
public interface StageForward {
  /**
   * The activation.
   *
   * @param input valid during the call only, unless shared
   * @param microBatch whose it is
   * @return stays the caller's: the manager takes a reference of its own
   */
  Tensor forward(Tensor input, int microBatch);
}
