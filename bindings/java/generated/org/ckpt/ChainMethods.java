// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/** The methods of {@link Chain} that are one call of the C API. */
abstract class ChainMethods extends NativeObject {
  ChainMethods(long address) {
    super(address, Native::ckpt_chain_release);
  }

  /**
   * Appends a layer; the chain keeps it alive. {@link Status#INVALID_STATE} if it belongs to a chain already or an executor of the
   * chain was created. {@link Status#ALREADY_EXISTS} if the name exists.
   */
  public Chain add(Layer layer) {
    Native.ckpt_chain_add(this, layer);
    return (Chain) this;
  }

  /** Returns the number of layers. */
  public long layerCount() {
    return number(out -> Native.ckpt_chain_get_layer_count(this, out));
  }

  /**
   * Sets every parameter to its initial value from the seed: uniform in +-sqrt(6/inputs) for weights (He et al., arXiv:1502.01852),
   * in +-1 for tables, 0 for biases. Those of token_embedding, attention and mlp are uniform with a standard deviation of 0.02,
   * divided by sqrt(layer's number + 1) for "out.weight" and "down.weight". Weights of norms are 1 (Radford et al., "Language
   * models are unsupervised multitask learners", 2019). The values are the same on every machine. Sets gradients to 0.
   */
  public void initialize(long seed) {
    Native.ckpt_chain_initialize(this, seed);
  }

  /**
   * Sets the threads for clipping, zeroing of gradients and optimizers of this chain: results have the same bits for any number of
   * threads. pool: kept alive; null (as in a new chain): only the calling thread.
   */
  public void setWorkerPool(WorkerPool pool) {
    Native.ckpt_chain_set_worker_pool(this, pool);
  }

  /**
   * Scales all gradients so that their common 2-norm is at most maxNorm (&gt; 0); returns the norm before scaling. {@link
   * Status#OUT_OF_RANGE} if that is not finite: no gradient is scaled.
   */
  public double clipGradients(double maxNorm) {
    return real(out -> Native.ckpt_chain_clip_gradients(this, maxNorm, out));
  }
}
