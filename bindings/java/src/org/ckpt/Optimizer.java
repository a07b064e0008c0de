package org.ckpt;

import java.util.ArrayList;
import java.util.List;

/** Updates a chain's parameters from their gradients. Use from one thread at a time. */
public final class Optimizer extends OptimizerMethods {
  Optimizer(long address) {
    super(address);
  }

  /**
   * Returns the learning rate of a step, for {@code setLearningRate} before it.
   *
   * @param schedule the schedule of all steps
   * @param step number of the step, from 0
   * @return the rate, at least 0
   */
  public static double learningRateAt(LearningRateSchedule schedule, long step) {
    return real(out -> schedule.with(struct -> Native.ckpt_learning_rate_at(struct, step, out)));
  }

  /** {@return the state by name, in a fixed order; it shares the optimizer's memory} */
  public List<NamedTensor> tensors() {
    List<NamedTensor> created = new ArrayList<>();
    long count = number(out -> Native.ckpt_optimizer_get_tensor_count(this, out));
    for (long i = 0; i < count; ++i) {
      long index = i;
      long[] value = new long[1];
      String name = text(out -> Native.ckpt_optimizer_get_tensor(this, index, out, value));
      created.add(new NamedTensor(name, Tensor.adopt(value[0])));
    }
    return List.copyOf(created);
  }
}
