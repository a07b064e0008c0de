// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

import java.util.List;

/**
 * A rule that checkpoints after tasks with a large enough share of the duration of the longest task, while slots are left. It
 * adjusts that share by the savings of recoveries. One thread at a time. Weaknesses: it ignores the time since the last
 * checkpoint and the failure rate, and its steps depend on the unit of time. One outlier stays the longest task permanently, and
 * the slots of a long run are used up.
 */
public final class Threshold extends NativeObject {
  Threshold(long address) {
    super(address, Native::ckpt_threshold_release);
  }

  /** Creates a threshold rule. */
  public Threshold() {
    this(new ThresholdOptions());
  }

  /** Creates a threshold rule. options: null for the defaults. */
  public Threshold(ThresholdOptions options) {
    this(number(out -> options.with(optionsStruct -> Native.ckpt_threshold_create(optionsStruct, out))));
  }

  /** Records the duration of a task. name: UTF-8, not blank, at most 95 bytes. durationSeconds: finite, &gt;= 0. */
  public void observeTask(String name, double durationSeconds) {
    Native.ckpt_threshold_observe_task(this, name, durationSeconds);
  }

  /**
   * Records that a task failed after this duration. It is stored, with failed = 1 in {@link TaskObservation}, and is never the
   * longest task, because it was not completed. name: UTF-8, not blank, at most 95 bytes. durationSeconds: finite, &gt;= 0. Record
   * the savings of the recovery with {@code Threshold.adjustPolicy}.
   */
  public void observeFailure(String name, double durationSeconds) {
    Native.ckpt_threshold_observe_failure(this, name, durationSeconds);
  }

  /**
   * Returns true when a slot is left and costSeconds / max(longest task, 1e-6) reaches the threshold, which consumes the slot; else
   * false.
   */
  public boolean shouldCheckpoint(String name, double costSeconds) {
    return truth(out -> Native.ckpt_threshold_should_checkpoint(this, name, costSeconds, out));
  }

  /** Adds -sign(b) * learningRate * |b| / (|b| + 1) to the threshold, b = saved - overhead, and keeps it within 0.05 .. 1. */
  public void adjustPolicy(double savedSeconds, double overheadSeconds) {
    Native.ckpt_threshold_adjust_policy(this, savedSeconds, overheadSeconds);
  }

  /** Frees all slots for a new run; the threshold and the longest task are kept. */
  public void beginRun() {
    Native.ckpt_threshold_begin_run(this);
  }

  /** Returns the state of the rule. */
  public ThresholdInfo info() {
    return ThresholdInfo.from(struct -> Native.ckpt_threshold_get_info(this, struct));
  }

  /** Lists the stored tasks, the oldest first. */
  public List<TaskObservation> tasks() {
    return values(Native.ckpt_threshold_list_tasks(this), TaskObservation::of, ckpt_task_observation::close);
  }
}
