package org.ckpt;

/** One step's data. */
public final class Step {
  private Long step;
  private Long seed;
  private Long firstSample;
  private Tensor input;
  private Tensor targets;
  private Tensor outputGradient;
  private Tensor output;
  private Tensor inputGradient;
  private Boolean accumulate;

  /** All defaults. */
  public Step() {}

  /**
   * Number of the step, at least 0: keys dropout. Default 0.
   *
   * @param step the value
   * @return this
   */
  public Step step(long step) {
    this.step = step;
    return this;
  }

  /**
   * Keys dropout. Default 0.
   *
   * @param seed the value
   * @return this
   */
  public Step seed(long seed) {
    this.seed = seed;
    return this;
  }

  /**
   * Number of the batch's first sample within the step; default 0.
   *
   * @param firstSample the value
   * @return this
   */
  public Step firstSample(long firstSample) {
    this.firstSample = firstSample;
    return this;
  }

  /**
   * What goes into the chain.
   *
   * @param input the value
   * @return this
   */
  public Step input(Tensor input) {
    this.input = input;
    return this;
  }

  /**
   * What a loss layer compares with; needed only by one.
   *
   * @param targets the value
   * @return this
   */
  public Step targets(Tensor targets) {
    this.targets = targets;
    return this;
  }

  /**
   * The gradient of the output; default 1, only for a chain whose output has one element.
   *
   * @param outputGradient the value
   * @return this
   */
  public Step outputGradient(Tensor outputGradient) {
    this.outputGradient = outputGradient;
    return this;
  }

  /**
   * Receives the output; default: not wanted.
   *
   * @param output the value
   * @return this
   */
  public Step output(Tensor output) {
    this.output = output;
    return this;
  }

  /**
   * Receives the gradient of the input; default: not wanted.
   *
   * @param inputGradient the value
   * @return this
   */
  public Step inputGradient(Tensor inputGradient) {
    this.inputGradient = inputGradient;
    return this;
  }

  /**
   * True adds to the gradients; false, the default, sets them to 0 first.
   *
   * @param accumulate the value
   * @return this
   */
  public Step accumulate(boolean accumulate) {
    this.accumulate = accumulate;
    return this;
  }

  /** Changes what was set; everything else keeps the library's default. */
  void apply(ckpt_step struct) {
    if (step != null) struct.setStep(step);
    if (seed != null) struct.setSeed(seed);
    if (firstSample != null) struct.setFirst_sample(firstSample);
    if (input != null) struct.setInput(input);
    if (targets != null) struct.setTargets(targets);
    if (outputGradient != null) struct.setOutput_gradient(outputGradient);
    if (output != null) struct.setOutput(output);
    if (inputGradient != null) struct.setInput_gradient(inputGradient);
    if (accumulate != null) struct.setAccumulate(accumulate ? 1 : 0);
  }
}
