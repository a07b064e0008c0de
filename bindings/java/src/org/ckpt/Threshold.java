package org.ckpt;

import java.util.List;

/**
 * Checkpoints after tasks that take a large enough share of the longest one, while it has slots; moves that share by what
 * recoveries saved. One thread at a time.
 */
public final class Threshold extends NativeObject {
  /** A rule with all defaults. */
  public Threshold() {
    this(new ThresholdOptions());
  }

  /**
   * A rule.
   *
   * @param options how it begins
   */
  public Threshold(ThresholdOptions options) {
    super(
        number(out -> options.with(struct -> Native.ckpt_threshold_create(struct, out))), Native::ckpt_threshold_release);
  }

  /**
   * A task took so long.
   *
   * @param name not blank, at most 95 bytes
   * @param seconds at least 0
   */
  public void observeTask(String name, double seconds) {
    Native.ckpt_threshold_observe_task(this, name, seconds);
  }

  /**
   * A task failed after so long.
   *
   * @param name not blank, at most 95 bytes
   * @param seconds at least 0
   */
  public void observeFailure(String name, double seconds) {
    Native.ckpt_threshold_observe_failure(this, name, seconds);
  }

  /**
   * Whether to checkpoint; yes consumes a slot.
   *
   * @param name of the task
   * @param costSeconds of doing it again
   * @return yes or no
   */
  public boolean shouldCheckpoint(String name, double costSeconds) {
    return truth(out -> Native.ckpt_threshold_should_checkpoint(this, name, costSeconds, out));
  }

  /**
   * Moves the threshold by what a recovery was worth.
   *
   * @param savedSeconds work that needed not be done again
   * @param checkpointOverheadSeconds what the checkpoint had cost
   */
  public void adjustPolicy(double savedSeconds, double checkpointOverheadSeconds) {
    Native.ckpt_threshold_adjust_policy(this, savedSeconds, checkpointOverheadSeconds);
  }

  /** All slots are free again; threshold and longest task stay. */
  public void beginRun() {
    Native.ckpt_threshold_begin_run(this);
  }

  /**
   * How the rule stands.
   *
   * @return the numbers
   */
  public ThresholdInfo info() {
    return ThresholdInfo.from(struct -> Native.ckpt_threshold_get_info(this, struct));
  }

  /**
   * The tasks that were observed, as far as they are remembered.
   *
   * @return the oldest first
   */
  public List<TaskObservation> tasks() {
    return values(Native.ckpt_threshold_list_tasks(this), TaskObservation::of, ckpt_task_observation::close);
  }
}
