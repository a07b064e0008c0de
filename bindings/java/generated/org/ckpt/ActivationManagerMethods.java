// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/** The methods of {@link ActivationManager} that are one call of the C API. */
abstract class ActivationManagerMethods extends NativeObject {
  ActivationManagerMethods(long address) {
    super(address, Native::ckpt_activation_manager_release);
  }

  static ActivationManager created(Into<long[]> create) {
    return new ActivationManager(number(create));
  }

  /** Changes the policy for later stores; stored activations are kept. Intended for use between steps. */
  public void setPolicy(ActivationPolicy policy) {
    policy.with(policyStruct -> Native.ckpt_activation_manager_set_policy(this, policyStruct));
  }

  /**
   * Returns the policy in force: under AUTOMATIC the selected one. {@code policy.strategy} is set to null: no reference is
   * returned.
   */
  public ActivationPolicy policy() {
    return ActivationPolicy.from(struct -> Native.ckpt_activation_manager_get_policy(this, struct));
  }

  /**
   * Clears the manager and sets the number of micro-batches (&gt;= 0) of the step, which determines the last one. 0: not known;
   * then the newest counts as the last until a newer one is stored, and an activation that was kept only as the last is dropped
   * then.
   */
  public void beginStep(int microBatches) {
    Native.ckpt_activation_manager_begin_step(this, microBatches);
  }

  /**
   * Returns true when a store of this many bytes (&gt;= 0) would be kept now, else false. microBatch: 0 .. microBatches-1; another
   * one: {@link Status#OUT_OF_RANGE}. Asks the strategy, if there is one, which counts the question.
   */
  public boolean shouldCheckpoint(int microBatch, long bytes) {
    return truth(out -> Native.ckpt_activation_manager_should_checkpoint(this, microBatch, bytes, out));
  }

  /**
   * Applies the policy, and stores a copy of the activation if it is to be kept: returns true or false. An activation that is
   * stored already for this micro-batch is replaced; it is dropped if the new one is not kept.
   */
  public boolean store(int microBatch, Tensor activation) {
    return truth(out -> Native.ckpt_activation_manager_store(this, microBatch, activation, out));
  }

  /** Returns true when the activation is stored, else false. */
  public boolean hasActivation(int microBatch) {
    return truth(out -> Native.ckpt_activation_manager_has_activation(this, microBatch, out));
  }

  /**
   * Runs the stage's forward on input: returns a new reference. Nothing is stored. {@link Status#INVALID_STATE} when the manager
   * has no forward.
   */
  public Tensor recompute(Tensor input, int microBatch) {
    return Tensor.created(out -> Native.ckpt_activation_manager_recompute(this, input, microBatch, out));
  }

  /**
   * Returns the result of {@code ActivationManager.activation}, or, if nothing is stored, of {@code ActivationManager.recompute}.
   * input is only read in the second case, but must not be null.
   */
  public Tensor getOrCompute(Tensor input, int microBatch) {
    return Tensor.created(out -> Native.ckpt_activation_manager_get_or_compute(this, input, microBatch, out));
  }

  /** Drops all stored activations; the tracker's count of this manager is 0 then. */
  public void clear() {
    Native.ckpt_activation_manager_clear(this);
  }

  /** Returns information about a stored activation; {@link Status#NOT_FOUND} when it is not stored. */
  public ActivationMetadata metadata(int microBatch) {
    return ActivationMetadata.from(struct -> Native.ckpt_activation_manager_get_metadata(this, microBatch, struct));
  }
}
