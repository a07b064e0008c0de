package org.ckpt;

import java.lang.ref.Reference;

/** Runs one schedule over one chain for one input shape, step after step, without asking for memory. One thread at a time. */
public final class Executor extends NativeObject {
  /**
   * An executor with all defaults.
   *
   * @param chain kept
   * @param schedule kept; verified against the chain
   * @param input type and shape of the steps' inputs
   */
  public Executor(Chain chain, Schedule schedule, TensorSpec input) {
    this(chain, schedule, input, new ExecutorOptions());
  }

  /**
   * Verifies the schedule, places its buffers and reserves the arena.
   *
   * @param chain kept
   * @param schedule kept; verified against the chain
   * @param input type and shape of the steps' inputs
   * @param options what it works with
   */
  public Executor(Chain chain, Schedule schedule, TensorSpec input, ExecutorOptions options) {
    super(create(chain, schedule, input, options), Native::ckpt_schedule_executor_release);
  }

  private static long create(Chain chain, Schedule schedule, TensorSpec input, ExecutorOptions options) {
    try (ckpt_schedule_executor_options struct = new ckpt_schedule_executor_options()) {
      options.apply(struct);
      return number(out -> Native.ckpt_schedule_executor_create(chain, schedule, input.numbers(), struct, out));
    } finally {
      Reference.reachabilityFence(options);
    }
  }

  /**
   * Runs the schedule once: forward, backward, gradients.
   *
   * @param step its data
   * @return the loss, or NaN where the output has more than one element
   */
  public double run(Step step) {
    try (ckpt_step struct = new ckpt_step()) {
      step.apply(struct);
      return real(out -> Native.ckpt_schedule_executor_run(this, struct, out));
    } finally {
      Reference.reachabilityFence(step);
    }
  }

  /**
   * What the executor measured.
   *
   * @return since it was made
   */
  public ExecutorStats stats() {
    try (ckpt_schedule_executor_stats struct = new ckpt_schedule_executor_stats()) {
      Native.ckpt_schedule_executor_get_stats(this, struct);
      return ExecutorStats.of(struct);
    }
  }
}
