// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/**
 * Runs one schedule over one chain for one input shape, step after step, without allocating memory. Owns threads unless its
 * options have a pool. Not synchronized.
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
   * 2^22 times in a step, because an executor stores it as a list. A tier that has a storage and that the schedule uses reserves
   * space for the longest item of each of its slots. In the file system this is one file for each executor and tier, with mode 0600
   * and without a name, so that it disappears when the process ends in any way. Each slot begins at a multiple of 4096. The
   * storage's options determine how the file is written and at which rate; bytesPerSecond separately limits reads of such files,
   * too. In memory it is a block of this size. Two threads for each such tier, one for stores and one for loads, copy in the order
   * of the schedule while layers run; an AWAIT waits for its copy. {@link Status#UNSUPPORTED}, with a message that names the tier,
   * for a storage of callbacks; errors of the system if such a file cannot be created.
   */
  public ScheduleExecutor(Chain chain, Schedule schedule, TensorSpec input, ScheduleExecutorOptions options) {
    this(number(out -> options.with(optionsStruct ->
        Native.ckpt_schedule_executor_create(chain, schedule, input.numbers(), optionsStruct, out))));
  }

  /**
   * Runs the schedule once: forward, backward, gradients added to the layers' parameters. Returns x_n if it has one element, else
   * NaN. After an error the next step works; gradients are then undefined until a step with accumulate 0. {@link
   * Status#OUT_OF_RANGE} for a loss that is not finite, before any layer runs backward: checkFinite finds the layer that caused it.
   * A copy through a tier's storage that fails also fails the step, after other copies have ended, and the message names tier and
   * slot: {@link Status#NO_SPACE} if the space for the tier's file is exhausted, {@link Status#IO} also if the file has become
   * shorter than the stored bytes. A storage of {@code Storage.createRetrying} has retried it by then. {@link Status#FORKED} in a
   * forked child if a tier has a storage.
   */
  public double run(Step step) {
    return real(out -> step.with(stepStruct -> Native.ckpt_schedule_executor_run(this, stepStruct, out)));
  }

  /**
   * Runs the first layerCount layers forward once, without backward: keeps no tape, disables dropout, and changes no gradient and
   * no parameter. layerCount: 1 .. number of layers of the chain. Reads step, seed, firstSample, input and output of step, and
   * targets if one of the layers needs them; other fields are ignored. output receives the output of the last of these layers.
   * Returns the same if it has one element, else NaN. The first call allocates memory outside of the arena: for the activations
   * that exist at once (in a chain two of the largest, at most) and the largest workspace. Does not count as a step.
   */
  public double evaluate(Step step, long layerCount) {
    return real(out -> step.with(stepStruct -> Native.ckpt_schedule_executor_evaluate(this, stepStruct, layerCount, out)));
  }

  /** Returns the measurements of the executor since it was created. */
  public ScheduleExecutorStats stats() {
    return ScheduleExecutorStats.from(struct -> Native.ckpt_schedule_executor_get_stats(this, struct));
  }

  /**
   * Creates a profile with the seconds that the executor's layers take in its steps: a copy of profile (of the executor's chain and
   * input). In it, the forwardSeconds, recordSeconds and backwardSeconds of the options that the schedule runs are the medians over
   * the last successful steps, up to 32. Other options are unchanged. {@link Status#INVALID_STATE} before the first step, {@link
   * Status#INVALID_ARGUMENT} for the profile of another chain.
   */
  public Profile refine(Profile profile) {
    return Profile.created(out -> Native.ckpt_schedule_executor_refine(this, profile, out));
  }
}
