// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/** The kind of an event for {@code Controller.record}. */
public enum ControllerEventKind {
  /** A run begins: budgets and windows start again. {@link Status#INVALID_STATE} during a run. */
  RUN_BEGAN(0),

  /**
   * This process continues the run that {@code Controller.restore} loaded. A run that was in progress there counts as failed, half
   * an interval after its last event, but not later than now; record its recovery next. Without such a run: as {@link
   * ControllerEventKind#RUN_BEGAN}. The time may be on another clock than in the previous process.
   */
  RUN_RESUMED(1),

  /**
   * A save starts: no other save is requested until it is committed or aborted. {@link Status#INVALID_STATE} while a save is in
   * flight.
   */
  SAVE_BEGAN(2),

  /** The save in flight is durable: uses stallSeconds and durableSeconds. {@link Status#INVALID_STATE} without a save in flight. */
  SAVE_COMMITTED(3),

  /** The save in flight failed: it is not used as a measurement. {@link Status#INVALID_STATE} without a save in flight. */
  SAVE_ABORTED(4),

  /**
   * A task is done: uses name and durationSeconds, and not nowSeconds; as {@code Threshold.observeTask}. The mean duration replaces
   * {@code ControllerOptions.pollSeconds} if that is 0.
   */
  TASK_DONE(5),

  /** The machine failed: unsaved work is lost. The run continues. */
  FAILURE(6),

  /** Work continues after a failure: uses savedSeconds and overheadSeconds. */
  RECOVERY(7),

  /**
   * The run ends without a failure: its last gap is censored, and the cost of saves that no recovery has accounted for counts as
   * overhead without benefit.
   */
  CLEAN_EXIT(8),

  /**
   * The process will be terminated: uses leftSeconds. A save is requested at once if earlier saves became durable within that time.
   */
  PREEMPTION(9),

  /** A number of a newer version of the library. */
  UNKNOWN(Integer.MIN_VALUE);

  private static final ControllerEventKind[] KNOWN = values();
  private final int number;

  ControllerEventKind(int number) {
    this.number = number;
  }

  /** {@return the number in the C API, which never changes} */
  public int number() {
    return number;
  }

  static ControllerEventKind of(int number) {
    for (ControllerEventKind one : KNOWN) {
      if (one.number == number) return one;
    }
    return UNKNOWN;
  }
}
