package org.ckpt;

import java.util.ArrayList;
import java.util.List;

/** Updates a chain's parameters from their gradients. One thread at a time. */
public final class Optimizer extends OptimizerMethods {
  private Optimizer(long address) {
    super(address, Native::ckpt_optimizer_release);
  }

  /**
   * v = momentum v + g; w = w - learningRate v.
   *
   * @param chain kept
   * @param learningRate above 0
   * @param momentum at least 0, below 1
   * @return the optimizer
   */
  public static Optimizer sgd(Chain chain, double learningRate, double momentum) {
    return new Optimizer(number(out -> Native.ckpt_optimizer_create_sgd(chain, learningRate, momentum, out)));
  }

  /**
   * AdamW.
   *
   * @param chain kept
   * @param options how it updates
   * @return the optimizer
   */
  public static Optimizer adamw(Chain chain, AdamWOptions options) {
    return new Optimizer(
        number(out -> options.with(struct -> Native.ckpt_optimizer_create_adamw(chain, struct, out))));
  }

  /** {@return the size of the next steps} */
  public double getLearningRate() {
    return real(out -> Native.ckpt_optimizer_get_learning_rate(this, out));
  }

  /**
   * The rate of a step, for {@link #setLearningRate} before it.
   *
   * @param schedule of all steps
   * @param step from 0
   * @return at least 0
   */
  public static double learningRateAt(LearningRateSchedule schedule, long step) {
    return real(out -> schedule.with(struct -> Native.ckpt_learning_rate_at(struct, step, out)));
  }

  /**
   * The state, by name; it shares the optimizer's memory.
   *
   * @return in a fixed order
   */
  public List<NamedTensor> tensors() {
    List<NamedTensor> made = new ArrayList<>();
    long count = number(out -> Native.ckpt_optimizer_get_tensor_count(this, out));
    for (long i = 0; i < count; ++i) {
      long index = i;
      long[] value = new long[1];
      String name = text(out -> Native.ckpt_optimizer_get_tensor(this, index, out, value));
      made.add(new NamedTensor(name, Tensor.adopt(value[0])));
    }
    return List.copyOf(made);
  }
}
