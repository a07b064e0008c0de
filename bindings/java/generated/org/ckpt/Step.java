// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

import java.lang.ref.Reference;

/** Data of one step of training. Tensors are borrowed for the call. */
public final class Step {
  private long step = 0L;
  private long seed = 0L;
  private long firstSample = 0L;
  private Tensor input = null;
  private Tensor targets = null;
  private Tensor outputGradient = null;
  private Tensor output = null;
  private Tensor inputGradient = null;
  private boolean accumulate = false;

  /** All defaults. */
  public Step() {}

  /**
   * Number of the step, &gt;= 0: a key of dropout's random numbers. Default: 0.
   *
   * @param step the value
   * @return this
   */
  public Step step(long step) {
    this.step = step;
    return this;
  }

  /** {@return the value set by {@link #step(long)}} */
  public long step() {
    return step;
  }

  /**
   * Seed of the step's random numbers: a key of dropout (64 bits without a sign). Default: 0.
   *
   * @param seed the value
   * @return this
   */
  public Step seed(long seed) {
    this.seed = seed;
    return this;
  }

  /** {@return the value set by {@link #seed(long)}} */
  public long seed() {
    return seed;
  }

  /**
   * Global number of the batch's first sample within the step, &gt;= 0. Default: 0.
   *
   * @param firstSample the value
   * @return this
   */
  public Step firstSample(long firstSample) {
    this.firstSample = firstSample;
    return this;
  }

  /** {@return the value set by {@link #firstSample(long)}} */
  public long firstSample() {
    return firstSample;
  }

  /**
   * Input of the chain, of the executor's input element type and shape. Default: null.
   *
   * @param input the value
   * @return this
   */
  public Step input(Tensor input) {
    this.input = input;
    return this;
  }

  /** {@return the value set by {@link #input(Tensor)}} */
  public Tensor input() {
    return input;
  }

  /**
   * Targets of a loss layer; null when no layer needs them. Default: null.
   *
   * @param targets the value
   * @return this
   */
  public Step targets(Tensor targets) {
    this.targets = targets;
    return this;
  }

  /** {@return the value set by {@link #targets(Tensor)}} */
  public Tensor targets() {
    return targets;
  }

  /**
   * Gradient of the chain's output; null: 1, only for a chain with an output of one element.
   *
   * @param outputGradient the value
   * @return this
   */
  public Step outputGradient(Tensor outputGradient) {
    this.outputGradient = outputGradient;
    return this;
  }

  /** {@return the value set by {@link #outputGradient(Tensor)}} */
  public Tensor outputGradient() {
    return outputGradient;
  }

  /**
   * Receives the chain's output; null: it is not wanted.
   *
   * @param output the value
   * @return this
   */
  public Step output(Tensor output) {
    this.output = output;
    return this;
  }

  /** {@return the value set by {@link #output(Tensor)}} */
  public Tensor output() {
    return output;
  }

  /**
   * Receives the gradient of the chain's input; null: it is not wanted. Refused if the first layer computes none.
   *
   * @param inputGradient the value
   * @return this
   */
  public Step inputGradient(Tensor inputGradient) {
    this.inputGradient = inputGradient;
    return this;
  }

  /** {@return the value set by {@link #inputGradient(Tensor)}} */
  public Tensor inputGradient() {
    return inputGradient;
  }

  /**
   * False: gradients are set to 0 first; true: this step adds to them. Default: false.
   *
   * @param accumulate the value
   * @return this
   */
  public Step accumulate(boolean accumulate) {
    this.accumulate = accumulate;
    return this;
  }

  /** {@return the value set by {@link #accumulate(boolean)}} */
  public boolean accumulate() {
    return accumulate;
  }

  /** Calls with these values, and keeps them alive during the call. */
  void with(NativeObject.Into<ckpt_step> call) {
    try (ckpt_step struct = new ckpt_step()) {
      struct.setStep(step);
      struct.setSeed(seed);
      struct.setFirst_sample(firstSample);
      if (input != null) struct.setInput(input);
      if (targets != null) struct.setTargets(targets);
      if (outputGradient != null) struct.setOutput_gradient(outputGradient);
      if (output != null) struct.setOutput(output);
      if (inputGradient != null) struct.setInput_gradient(inputGradient);
      struct.setAccumulate(accumulate ? 1 : 0);
      call.call(struct);
    } finally {
      Reference.reachabilityFence(this);
    }
  }
}
