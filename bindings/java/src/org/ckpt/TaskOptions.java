package org.ckpt;

import java.time.Duration;

/** How a background task is admitted, copied and told of. */
public final class TaskOptions {
  private AsyncMode mode;
  private WhenFull whenFull;
  private Priority priority;
  private Duration timeout;
  private Long gateStep;
  private AsyncListener listener;
  private AsyncSource source;

  /** All defaults. */
  public TaskOptions() {}

  /**
   * How the bytes of a save are taken; default COPY.
   *
   * @param mode the value
   * @return this
   */
  public TaskOptions mode(AsyncMode mode) {
    this.mode = mode;
    return this;
  }

  /**
   * What happens when the queue is full; default REFUSE.
   *
   * @param whenFull the value
   * @return this
   */
  public TaskOptions whenFull(WhenFull whenFull) {
    this.whenFull = whenFull;
    return this;
  }

  /**
   * Which task begins first; default NORMAL.
   *
   * @param priority the value
   * @return this
   */
  public TaskOptions priority(Priority priority) {
    this.priority = priority;
    return this;
  }

  /**
   * How long WhenFull.WAIT waits; default: for ever.
   *
   * @param timeout the value
   * @return this
   */
  public TaskOptions timeout(Duration timeout) {
    this.timeout = timeout;
    return this;
  }

  /**
   * No worker begins before endStep was called with this step or a later one; default: no gate.
   *
   * @param gateStep the value
   * @return this
   */
  public TaskOptions gateStep(long gateStep) {
    this.gateStep = gateStep;
    return this;
  }

  /**
   * Told of this task, after that of the manager; default: nobody.
   *
   * @param listener the value
   * @return this
   */
  public TaskOptions listener(AsyncListener listener) {
    this.listener = listener;
    return this;
  }

  /**
   * Reads the tensors instead of the library; default: they are memory. Not with BORROW.
   *
   * @param source the value
   * @return this
   */
  public TaskOptions source(AsyncSource source) {
    this.source = source;
    return this;
  }

  AsyncListener listener() {
    return listener;
  }

  AsyncSource source() {
    return source;
  }

  /** Changes what was set; everything else keeps the library's default. */
  void apply(ckpt_checkpoint_task_options struct) {
    if (mode != null) struct.setMode(mode.number());
    if (whenFull != null) struct.setWhen_full(whenFull.number());
    if (priority != null) struct.setPriority(priority.number());
    if (timeout != null) struct.setTimeout_ns(NativeObject.nanoseconds(timeout));
    if (gateStep != null) struct.setGate_step(gateStep);
    // listener and source: arguments of the call

  }
}
