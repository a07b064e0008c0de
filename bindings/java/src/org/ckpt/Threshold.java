package org.ckpt;

import java.util.List;

/**
 * Checkpoints after tasks that take a large enough share of the longest one, while it has slots; moves that share by what
 * recoveries saved. One thread at a time.
 */
public final class Threshold extends ThresholdMethods {
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
   * The tasks that were observed, as far as they are remembered.
   *
   * @return the oldest first
   */
  public List<TaskObservation> tasks() {
    return values(Native.ckpt_threshold_list_tasks(this), TaskObservation::of, ckpt_task_observation::close);
  }
}
