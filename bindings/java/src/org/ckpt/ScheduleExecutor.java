package org.ckpt;

/** Runs one schedule over one chain for one input shape, step after step, without asking for memory. One thread at a time. */
public final class ScheduleExecutor extends ScheduleExecutorMethods {
  /**
   * An executor with all defaults.
   *
   * @param chain kept
   * @param schedule kept; verified against the chain
   * @param input type and shape of the steps' inputs
   */
  public ScheduleExecutor(Chain chain, Schedule schedule, TensorSpec input) {
    this(chain, schedule, input, new ScheduleExecutorOptions());
  }

  /**
   * Verifies the schedule, places its buffers and reserves the arena.
   *
   * @param chain kept
   * @param schedule kept; verified against the chain
   * @param input type and shape of the steps' inputs
   * @param options what it works with
   */
  public ScheduleExecutor(Chain chain, Schedule schedule, TensorSpec input, ScheduleExecutorOptions options) {
    super(
        number(out -> options.with(
            struct -> Native.ckpt_schedule_executor_create(chain, schedule, input.numbers(), struct, out))),
        Native::ckpt_schedule_executor_release);
  }

}
