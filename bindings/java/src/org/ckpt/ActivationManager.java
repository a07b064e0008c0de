package org.ckpt;

import java.util.Optional;

/** Stores the activations of a stage's micro-batches by a policy. Synchronized. */
public final class ActivationManager extends ActivationManagerMethods {
  ActivationManager(long address) {
    super(address);
  }

  /**
   * Creates a manager that cannot recompute.
   *
   * @param policy which activations stay
   */
  public ActivationManager(ActivationPolicy policy) {
    this(policy, null, new ActivationManagerOptions());
  }

  /**
   * Creates a manager.
   *
   * @param policy which activations stay
   * @param forward the stage's forward, pinned as long as the manager lives; null: nothing can be recomputed
   * @param options the options of the manager
   */
  public ActivationManager(ActivationPolicy policy, StageForward forward, ActivationManagerOptions options) {
    this(create(policy, forward, options));
  }

  private static long create(ActivationPolicy policy, StageForward forward, ActivationManagerOptions options) {
    NativeStageForward called = forward == null ? null : new NativeStageForward() {
      @Override
      public NativeObject forward(NativeObject input, int micro_batch) {
        try (Tensor given = Tensor.lent(input.address())) {
          Tensor created = forward.forward(given, micro_batch);
          return created == null ? null : new LentObject(created.retained());
        }
      }
    }.pinned();
    return number(
        out -> policy.with(p -> options.with(o -> Native.ckpt_activation_manager_create(p, o, called, out))));
  }

  /**
   * Stores an activation without a copy: the tensor is closed, and its memory must not be written to any more.
   *
   * @param microBatch number of the micro-batch
   * @param activation taken over
   * @return whether the policy kept it
   */
  public boolean storeMoved(int microBatch, Tensor activation) {
    Tensor given = activation.share();
    activation.retained(); // reference for the manager
    try {
      return truth(out -> Native.ckpt_activation_manager_store_moved(this, microBatch, given, out));
    } catch (CkptException refused) {
      Native.ckpt_tensor_release(new LentObject(activation.address()));
      throw refused;
    } finally {
      given.close();
      activation.close();
    }
  }

  /**
   * Returns a stored activation.
   *
   * @param microBatch number of the micro-batch
   * @return a read-only tensor, to be closed; empty when none is stored
   */
  public Optional<Tensor> activation(int microBatch) {
    long found = number(out -> Native.ckpt_activation_manager_get_activation(this, microBatch, out));
    return found == 0 ? Optional.empty() : Optional.of(Tensor.adopt(found));
  }

  /** {@return the exact number of bytes of the stored activations} */
  public long memoryUsage() {
    return number(out -> Native.ckpt_activation_manager_get_memory_usage(this, out, null));
  }

  /** {@return the number of stored activations} */
  public long count() {
    return number(out -> Native.ckpt_activation_manager_get_memory_usage(this, null, out));
  }

  /** {@return the stored micro-batches, ascending} */
  public long[] list() {
    return Native.ckpt_activation_manager_list(this);
  }
}
