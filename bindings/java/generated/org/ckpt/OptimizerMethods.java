// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/** The methods of {@link Optimizer} that are one call of the C API. */
abstract class OptimizerMethods extends NativeObject {
  OptimizerMethods(long address) {
    super(address, Native::ckpt_optimizer_release);
  }

  static Optimizer created(Into<long[]> create) {
    return new Optimizer(number(create));
  }

  /**
   * Creates a stochastic gradient descent optimizer: v = momentum v + g; w = w - learningRate v. learningRate &gt; 0, 0 &lt;=
   * momentum &lt; 1. State: one tensor per parameter, "&lt;name&gt;.momentum". Keeps the chain alive.
   */
  public static Optimizer sgd(Chain chain, double learningRate, double momentum) {
    return Optimizer.created(out -> Native.ckpt_optimizer_create_sgd(chain, learningRate, momentum, out));
  }

  /** Creates an AdamW optimizer. */
  public static Optimizer adamw(Chain chain) {
    return adamw(chain, new AdamWOptions());
  }

  /**
   * Creates an AdamW optimizer. options: null for the defaults. Keeps the chain alive. Source: Loshchilov, Hutter, "Decoupled
   * weight decay regularization", arXiv:1711.05101.
   */
  public static Optimizer adamw(Chain chain, AdamWOptions options) {
    return Optimizer.created(out -> options.with(optionsStruct ->
        Native.ckpt_optimizer_create_adamw(chain, optionsStruct, out)));
  }

  /** Updates the parameters once with the current gradients. */
  public void step() {
    Native.ckpt_optimizer_step(this);
  }

  /**
   * Does {@code Chain.clipGradients}(maxNorm) and {@code Optimizer.step}, with the same bits, and sets all gradients to 0, so that
   * the next step can run with accumulate 1. After the computation of the norm, one pass over the gradients scales, uses and clears
   * each part while it is in the processor's caches. maxNorm: &gt; 0; INFINITY scales nothing. Returns the norm before scaling.
   * {@link Status#OUT_OF_RANGE} if that is not finite: gradients, parameters and state are unchanged.
   */
  public double stepAndZero(double maxNorm) {
    return real(out -> Native.ckpt_optimizer_step_and_zero(this, maxNorm, out));
  }

  /** Returns the size of the next steps. */
  public double getLearningRate() {
    return real(out -> Native.ckpt_optimizer_get_learning_rate(this, out));
  }

  /** Sets the size of the next steps, &gt;= 0 and finite. It is not part of the saved state: set it again when a run is resumed. */
  public void setLearningRate(double learningRate) {
    Native.ckpt_optimizer_set_learning_rate(this, learningRate);
  }

  /** Returns the number of updates so far; part of AdamW's state. */
  public long stepCount() {
    return number(out -> Native.ckpt_optimizer_get_step_count(this, out));
  }

  /** Sets the number of updates so far (&gt;= 0), for restoring a state. */
  public void setStepCount(long stepCount) {
    Native.ckpt_optimizer_set_step_count(this, stepCount);
  }
}
