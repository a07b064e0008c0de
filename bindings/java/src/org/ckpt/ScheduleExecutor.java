package org.ckpt;

/** Runs one schedule over one chain for one input shape, step after step, without asking for memory. One thread at a time. */
public final class ScheduleExecutor extends NativeObject {
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

  /**
   * Runs the schedule once: forward, backward, gradients.
   *
   * @param step its data
   * @return the loss, or NaN where the output has more than one element
   */
  public double run(Step step) {
    return real(out -> step.with(struct -> Native.ckpt_schedule_executor_run(this, struct, out)));
  }

  /**
   * Runs the first layers forward once, without dropping anything and without gradients.
   *
   * @param step its data
   * @param layers how many, at least 1
   * @return their output, or NaN where it has more than one element
   */
  public double evaluate(Step step, long layers) {
    return real(out -> step.with(struct -> Native.ckpt_schedule_executor_evaluate(this, struct, layers, out)));
  }

  /**
   * A copy of a profile with the seconds that the layers took in the last steps.
   *
   * @param profile of the chain and the input
   * @return what the schedule does not run is as it was
   */
  public Profile refine(Profile profile) {
    return Profile.made(out -> Native.ckpt_schedule_executor_refine(this, profile, out));
  }

  /**
   * What the executor measured.
   *
   * @return since it was made
   */
  public ScheduleExecutorStats stats() {
    return ScheduleExecutorStats.from(struct -> Native.ckpt_schedule_executor_get_stats(this, struct));
  }
}
