// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

import java.lang.ref.Reference;
import java.time.Duration;
import java.util.OptionalLong;

/** Options of one background task. */
public final class CheckpointTaskOptions {
  private StagingMode mode = StagingMode.COPY;
  private WhenFull whenFull = WhenFull.WAIT;
  private Priority priority = Priority.NORMAL;
  private Duration timeout = Duration.ofNanos(60000000000L);
  private Long gateStep = null;

  /** All defaults. */
  public CheckpointTaskOptions() {}

  /**
   * How the bytes of a save are staged: {@link StagingMode#COPY}, {@link StagingMode#BORROW} or {@link StagingMode#DEFERRED};
   * ignored by loads. Default: {@link StagingMode#COPY}.
   *
   * @param mode the value
   * @return this
   */
  public CheckpointTaskOptions mode(StagingMode mode) {
    this.mode = mode;
    return this;
  }

  /** {@return the value set by {@link #mode(StagingMode)}} */
  public StagingMode mode() {
    return mode;
  }

  /**
   * What happens when the queue is full: {@link WhenFull#REFUSE}, {@link WhenFull#WAIT} or {@link WhenFull#DROP_OLDEST}. Default:
   * {@link WhenFull#WAIT}.
   *
   * @param whenFull the value
   * @return this
   */
  public CheckpointTaskOptions whenFull(WhenFull whenFull) {
    this.whenFull = whenFull;
    return this;
  }

  /** {@return the value set by {@link #whenFull(WhenFull)}} */
  public WhenFull whenFull() {
    return whenFull;
  }

  /**
   * One of {@link Priority}: tasks of higher priority start first, of equal priority the older ones. Default: {@link
   * Priority#NORMAL}.
   *
   * @param priority the value
   * @return this
   */
  public CheckpointTaskOptions priority(Priority priority) {
    this.priority = priority;
    return this;
  }

  /** {@return the value set by {@link #priority(Priority)}} */
  public Priority priority() {
    return priority;
  }

  /**
   * How long {@link WhenFull#WAIT} waits for a place; null: forever. Default: 60 s.
   *
   * @param timeout the value
   * @return this
   */
  public CheckpointTaskOptions timeout(Duration timeout) {
    this.timeout = timeout;
    return this;
  }

  /** {@return the value set by {@link #timeout(Duration)}} */
  public Duration timeout() {
    return timeout;
  }

  /**
   * The task starts only after {@code AsyncManager.endStep} was called with this step or a later one. Waiting for the task,
   * closing, a save that needs its memory, or a call that waits for a place without a time-out opens the gate. A task at a closed
   * gate does not block a worker: other tasks start before it; empty: the task waits for no step. Default: none.
   *
   * @param gateStep the value
   * @return this
   */
  public CheckpointTaskOptions gateStep(long gateStep) {
    this.gateStep = gateStep;
    return this;
  }

  /** {@return the value set by {@link #gateStep(long)}} */
  public OptionalLong gateStep() {
    return gateStep == null ? OptionalLong.empty() : OptionalLong.of(gateStep);
  }

  /** Calls with these values, and keeps them alive during the call. */
  void with(NativeObject.Into<ckpt_checkpoint_task_options> call) {
    try (ckpt_checkpoint_task_options struct = new ckpt_checkpoint_task_options()) {
      struct.setMode(mode.number());
      struct.setWhen_full(whenFull.number());
      struct.setPriority(priority.number());
      struct.setTimeout_ns(NativeObject.nanoseconds(timeout));
      struct.setHas_gate_step(gateStep == null ? 0 : 1);
      if (gateStep != null) struct.setGate_step(gateStep);
      call.call(struct);
    } finally {
      Reference.reachabilityFence(this);
    }
  }
}
