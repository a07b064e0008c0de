package org.ckpt;

import java.util.Optional;

/** Stores the activations of a stage's micro-batches as a policy says. Synchronised. */
public final class ActivationManager extends NativeObject {
  private ActivationManager(long address) {
    super(address, Native::ckpt_activation_manager_release);
  }

  static ActivationManager adopt(long address) {
    return new ActivationManager(address);
  }

  /**
   * A manager that cannot recompute.
   *
   * @param policy what stays
   */
  public ActivationManager(ActivationPolicy policy) {
    this(policy, null, new ActivationManagerOptions());
  }

  /**
   * A manager.
   *
   * @param policy what stays
   * @param forward of the stage, pinned as long as the manager; null: nothing can be recomputed
   * @param options what it works with
   */
  public ActivationManager(ActivationPolicy policy, StageForward forward, ActivationManagerOptions options) {
    this(create(policy, forward, options));
  }

  private static long create(ActivationPolicy policy, StageForward forward, ActivationManagerOptions options) {
    NativeStageForward called = forward == null ? null : new Forward(forward).pinned();
    return number(
        out -> policy.with(p -> options.with(o -> Native.ckpt_activation_manager_create(p, o, called, out))));
  }

  /**
   * Changes the policy of what is stored from now on.
   *
   * @param policy what stays
   */
  public void setPolicy(ActivationPolicy policy) {
    policy.with(struct -> Native.ckpt_activation_manager_set_policy(this, struct));
  }

  /**
   * The policy in force: under AUTOMATIC the one that was picked.
   *
   * @return without its strategy
   */
  public ActivationPolicy policy() {
    return ActivationPolicy.from(struct -> Native.ckpt_activation_manager_get_policy(this, struct));
  }

  /**
   * Clears, and says how many micro-batches the step has.
   *
   * @param microBatches 0: not known
   */
  public void beginStep(int microBatches) {
    Native.ckpt_activation_manager_begin_step(this, microBatches);
  }

  /**
   * Whether a store would be kept now.
   *
   * @param microBatch whose it is
   * @param bytes of the activation
   * @return yes or no
   */
  public boolean shouldCheckpoint(int microBatch, long bytes) {
    return truth(out -> Native.ckpt_activation_manager_should_checkpoint(this, microBatch, bytes, out));
  }

  /**
   * Asks the policy, and keeps a copy of the activation if it says so.
   *
   * @param microBatch whose it is
   * @param activation copied
   * @return whether it was kept
   */
  public boolean store(int microBatch, Tensor activation) {
    return truth(out -> Native.ckpt_activation_manager_store(this, microBatch, activation, out));
  }

  /**
   * The same without a copy: the tensor is closed, and no caller may write to its memory any more.
   *
   * @param microBatch whose it is
   * @param activation given up
   * @return whether it was kept
   */
  public boolean storeMoved(int microBatch, Tensor activation) {
    Tensor given = activation.share();
    activation.retained(); // what the manager takes
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
   * What is stored.
   *
   * @param microBatch whose it is
   * @return read-only, to be closed; empty when nothing is stored
   */
  public Optional<Tensor> activation(int microBatch) {
    long found = number(out -> Native.ckpt_activation_manager_get_activation(this, microBatch, out));
    return found == 0 ? Optional.empty() : Optional.of(Tensor.adopt(found));
  }

  /**
   * Whether the activation is stored.
   *
   * @param microBatch whose it is
   * @return yes or no
   */
  public boolean hasActivation(int microBatch) {
    return truth(out -> Native.ckpt_activation_manager_has_activation(this, microBatch, out));
  }

  /**
   * Runs the stage's forward. Nothing is stored.
   *
   * @param input of the stage
   * @param microBatch whose it is
   * @return to be closed
   * @throws CkptInvalidStateException when the manager has no forward
   */
  public Tensor recompute(Tensor input, int microBatch) {
    return Tensor.adopt(number(out -> Native.ckpt_activation_manager_recompute(this, input, microBatch, out)));
  }

  /**
   * What {@link #activation} gives, or else what {@link #recompute} gives.
   *
   * @param input of the stage
   * @param microBatch whose it is
   * @return to be closed
   */
  public Tensor getOrCompute(Tensor input, int microBatch) {
    return Tensor.adopt(number(out -> Native.ckpt_activation_manager_get_or_compute(this, input, microBatch, out)));
  }

  /** Drops all that is stored. */
  public void clear() {
    Native.ckpt_activation_manager_clear(this);
  }

  /**
   * Exact bytes of what is stored.
   *
   * @return at least 0
   */
  public long memoryUsage() {
    return number(out -> Native.ckpt_activation_manager_get_memory_usage(this, out, null));
  }

  /**
   * How many activations are stored.
   *
   * @return at least 0
   */
  public long count() {
    return number(out -> Native.ckpt_activation_manager_get_memory_usage(this, null, out));
  }

  /**
   * What is known of one stored activation.
   *
   * @param microBatch whose it is
   * @return the numbers
   * @throws CkptNotFoundException when it is not stored
   */
  public ActivationMetadata metadata(int microBatch) {
    return ActivationMetadata.from(struct -> Native.ckpt_activation_manager_get_metadata(this, microBatch, struct));
  }

  /**
   * The stored micro-batches.
   *
   * @return ascending
   */
  public long[] list() {
    return Native.ckpt_activation_manager_list(this);
  }

  private static final class Forward extends NativeStageForward {
    private final StageForward forward;

    Forward(StageForward forward) {
      this.forward = forward;
    }

    @Override
    public NativeObject forward(NativeObject input, int micro_batch) {
      try (Tensor given = Tensor.lent(input.address())) {
        Tensor made = forward.forward(given, micro_batch);
        return made == null ? null : new LentObject(made.retained());
      }
    }
  }
}
