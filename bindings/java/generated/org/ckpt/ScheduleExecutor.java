// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/**
 * Runs one schedule over one chain for one input shape, step after step, without asking the system for memory. Owns threads
 * unless its options have a pool. Not synchronised.
 */
public final class ScheduleExecutor extends NativeObject {
  ScheduleExecutor(long address) {
    super(address, Native::ckpt_schedule_executor_release);
  }

  /** Creates an executor: verifies the schedule against the chain for this input, places its buffers and reserves the arena. */
  public ScheduleExecutor(Chain chain, Schedule schedule, TensorSpec input) {
    this(chain, schedule, input, new ScheduleExecutorOptions());
  }

  /**
   * Creates an executor: verifies the schedule against the chain for this input, places its buffers and reserves the arena. Keeps
   * chain and schedule alive. options: null for the defaults. {@link Status#OUT_OF_RANGE} for a schedule that runs layers more than
   * 2^22 times in a step: an executor holds it as a list. A tier that has a storage and that the schedule uses gets a place for the
   * longest item of each of its slots. In the file system that is one file for each executor and tier, mode 0600 and without a
   * name, so nothing is left of it however the process ends; each slot begins at a multiple of 4096, and the storage's options say
   * how it is written and how fast (bytesPerSecond limits what is read from such files, too, by itself). In memory it is that many
   * bytes. Two threads for each such tier, one for stores and one for loads, copy in the order of the schedule while layers run; an
   * AWAIT waits for its copy. {@link Status#UNSUPPORTED}, and the message names the tier, for a storage of callbacks; what the
   * system reports when it makes no such file.
   */
  public ScheduleExecutor(Chain chain, Schedule schedule, TensorSpec input, ScheduleExecutorOptions options) {
    this(number(out -> options.with(optionsStruct ->
        Native.ckpt_schedule_executor_create(chain, schedule, input.numbers(), optionsStruct, out))));
  }

  /**
   * Runs the schedule once: forward, backward, gradients added to the layers' parameters. Returns x_n where it has one element,
   * else NaN. After an error the next step works; gradients are then undefined until a step with accumulate 0. {@link
   * Status#OUT_OF_RANGE} for a loss that is not finite, before any layer runs backward: see checkFinite for where it began. A copy
   * through a tier's storage that fails ends the step, once no other copy is under way, and the message names tier and slot: {@link
   * Status#NO_SPACE} when the tier's file finds no room, {@link Status#IO} also when the file has become shorter than what was
   * stored. A storage made by {@code Storage.createRetrying} has tried it again by then. {@link Status#FORKED} in a forked child
   * when a tier has a storage.
   */
  public double run(Step step) {
    return real(out -> step.with(stepStruct -> Native.ckpt_schedule_executor_run(this, stepStruct, out)));
  }

  /**
   * Runs the first layerCount layers forward once, and nothing backward: no tape is kept, nothing is dropped at random, no gradient
   * and no parameter changes. 1 &lt;= layerCount &lt;= the chain's. Of step also step, seed, firstSample and input are read,
   * targets when one of the layers needs them, and output, which receives the last of these layers' output; its other fields are
   * ignored. Returns that output where it has one element, else NaN. Uses memory of the executor's own beside its arena, made by
   * the first call: two of the largest activations and the largest workspace. Does not count as a step.
   */
  public double evaluate(Step step, long layerCount) {
    return real(out -> step.with(stepStruct -> Native.ckpt_schedule_executor_evaluate(this, stepStruct, layerCount, out)));
  }

  /** Returns what the executor measured since it was made. */
  public ScheduleExecutorStats stats() {
    return ScheduleExecutorStats.from(struct -> Native.ckpt_schedule_executor_get_stats(this, struct));
  }

  /**
   * Creates a profile with the seconds that the executor's layers take in its steps: a copy of profile (of the executor's chain and
   * input), in which forwardSeconds, recordSeconds and backwardSeconds of what the schedule runs are the medians over the last
   * steps that ended well, up to 32. What it does not run stays as it is. {@link Status#INVALID_STATE} before the first step,
   * {@link Status#INVALID_ARGUMENT} for the profile of another chain.
   */
  public Profile refine(Profile profile) {
    return Profile.made(out -> Native.ckpt_schedule_executor_refine(this, profile, out));
  }
}
