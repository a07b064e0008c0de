// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

import java.util.function.Consumer;

/** The methods of {@link Threshold} that are one call of the C API. */
abstract class ThresholdMethods extends NativeObject {
  ThresholdMethods(long address) {
    super(address);
  }

  ThresholdMethods(long address, Consumer<NativeObject> release) {
    super(address, release);
  }

  /** Records that a task took this long. name: UTF-8, not blank, at most 95 bytes. durationSeconds: finite, at least 0. */
  public void observeTask(String name, double durationSeconds) {
    Native.ckpt_threshold_observe_task(this, name, durationSeconds);
  }

  /**
   * Records that a task failed after this long. It is remembered, with failed = 1 in {@link TaskObservation}, and is never the
   * longest task, for it was not done. name: UTF-8, not blank, at most 95 bytes. durationSeconds: finite, at least 0. What
   * recovering from it saved is recorded with {@code Threshold.adjustPolicy}.
   */
  public void observeFailure(String name, double durationSeconds) {
    Native.ckpt_threshold_observe_failure(this, name, durationSeconds);
  }

  /**
   * Returns 1 when a slot is left and costSeconds / max(longest task, 1e-6) reaches the threshold, which consumes the slot; else 0.
   */
  public boolean shouldCheckpoint(String name, double costSeconds) {
    return truth(out -> Native.ckpt_threshold_should_checkpoint(this, name, costSeconds, out));
  }

  /** Adds -sign(b) * learningRate * |b| / (|b| + 1) to the threshold, b = saved - overhead, and keeps it within 0.05 .. 1. */
  public void adjustPolicy(double savedSeconds, double overheadSeconds) {
    Native.ckpt_threshold_adjust_policy(this, savedSeconds, overheadSeconds);
  }

  /** Frees all slots for a new run; threshold and longest task stay. */
  public void beginRun() {
    Native.ckpt_threshold_begin_run(this);
  }

  /** Returns what the rule knows. */
  public ThresholdInfo info() {
    return ThresholdInfo.from(struct -> Native.ckpt_threshold_get_info(this, struct));
  }
}
