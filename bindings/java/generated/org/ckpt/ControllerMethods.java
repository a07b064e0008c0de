// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

import java.time.Duration;
import java.util.List;

/** The methods of {@link Controller} that are one call of the C API. */
abstract class ControllerMethods extends NativeObject {
  ControllerMethods(long address) {
    super(address, Native::ckpt_controller_release);
  }

  /** Returns the time on the controller's clock, for callers without a separate clock. */
  public double now() {
    return real(out -> Native.ckpt_controller_get_now(this, out));
  }

  /**
   * Records an event. {@link Status#INVALID_ARGUMENT} for an unknown kind and for a time that is not finite; {@link
   * Status#INVALID_STATE} as the kinds document, and without a run for kinds that need one.
   */
  public void record(ControllerEvent event) {
    event.with(eventStruct -> Native.ckpt_controller_record(this, eventStruct));
  }

  /**
   * Decides whether to save now, and reports the reason. Changes nothing, so it may be called at any rate. {@link
   * Status#INVALID_STATE} when no run is in progress.
   */
  public Decision shouldCheckpoint(double nowSeconds) {
    return Decision.from(struct -> Native.ckpt_controller_should_checkpoint(this, nowSeconds, struct));
  }

  /**
   * Decides as {@code Controller.shouldCheckpoint}, with the same decision on all processes, which must all call it: rank 0 decides
   * and broadcasts. Each rank records the begin and commit of every save in its own controller; the cost of a save is the longest
   * stall of all ranks. After a save this call gathers the stalls on rank 0, and its controller records the longest before it
   * decides; this is repeated in later calls until no rank is still in that save. The controllers of other ranks keep their own
   * stalls. nowSeconds is only used on rank 0. If rank 0 cannot decide, or the arguments of one rank are invalid, all return the
   * status and message of that rank. Only a rank with a coordinator that is null or another handle fails alone; the others time
   * out. {@link Status#TIMEOUT} and {@link Status#CALLBACK} as {@code Coordinator.allGather}, {@code Coordinator.gather} and {@code
   * Coordinator.broadcast}. {@link Status#CORRUPT} if they return invalid data instead of a decision or stalls. timeout: &gt;= 0,
   * for the call as a whole.
   */
  public Decision decideAll(Coordinator coordinator, double nowSeconds, Duration timeout) {
    return Decision.from(struct -> Native.ckpt_controller_decide_all(this, coordinator, nowSeconds, nanoseconds(timeout), struct));
  }

  /** Returns the state of the controller. */
  public ControllerInfo info() {
    return ControllerInfo.from(struct -> Native.ckpt_controller_get_info(this, struct));
  }

  /** Lists the stored tasks, the oldest first. */
  public List<TaskObservation> tasks() {
    return values(Native.ckpt_controller_list_tasks(this), TaskObservation::of, ckpt_task_observation::close);
  }

  /**
   * Returns the complete state of the controller as JSON. For {@code State.setJson} with the key "controller", after {@link
   * ControllerEventKind#SAVE_BEGAN}, so that the estimates survive a crash. Numbers are restored to the same bits.
   */
  public String json() {
    return Native.ckpt_controller_get_json(this);
  }

  /**
   * Restores the state that {@code Controller.json} wrote, also of a controller with other options; the options of this controller
   * are kept. In the same process the controller continues from the state of the other one; after a restart record {@link
   * ControllerEventKind#RUN_RESUMED}. {@link Status#CORRUPT} if json is not the state of a controller, {@link Status#UNSUPPORTED}
   * if it is of a later version; then nothing changes.
   */
  public void restore(String json) {
    Native.ckpt_controller_restore(this, json);
  }

  /** A run begins: budgets and windows start again. {@link Status#INVALID_STATE} during a run. */
  public void beginRun(double nowSeconds) {
    record(new ControllerEvent().kind(ControllerEventKind.RUN_BEGAN).nowSeconds(nowSeconds));
  }

  /**
   * This process continues the run that {@code Controller.restore} loaded. A run that was in progress there counts as failed, half
   * an interval after its last event, but not later than now; record its recovery next. Without such a run: as {@link
   * ControllerEventKind#RUN_BEGAN}. The time may be on another clock than in the previous process.
   */
  public void resume(double nowSeconds) {
    record(new ControllerEvent().kind(ControllerEventKind.RUN_RESUMED).nowSeconds(nowSeconds));
  }

  /**
   * A save starts: no other save is requested until it is committed or aborted. {@link Status#INVALID_STATE} while a save is in
   * flight.
   */
  public void begin(double nowSeconds) {
    record(new ControllerEvent().kind(ControllerEventKind.SAVE_BEGAN).nowSeconds(nowSeconds));
  }

  /** The save in flight is durable. {@link Status#INVALID_STATE} without a save in flight. */
  public void commit(double nowSeconds, double stallSeconds, double durableSeconds) {
    record(new ControllerEvent().kind(ControllerEventKind.SAVE_COMMITTED)
        .nowSeconds(nowSeconds).stallSeconds(stallSeconds).durableSeconds(durableSeconds));
  }

  /** The save in flight failed: it is not used as a measurement. {@link Status#INVALID_STATE} without a save in flight. */
  public void abort(double nowSeconds) {
    record(new ControllerEvent().kind(ControllerEventKind.SAVE_ABORTED).nowSeconds(nowSeconds));
  }

  /**
   * A task is done; as {@code Threshold.observeTask}. The mean duration replaces {@code ControllerOptions.pollSeconds} if that is
   * 0.
   */
  public void observeTask(String name, double durationSeconds) {
    record(new ControllerEvent().kind(ControllerEventKind.TASK_DONE).name(name).durationSeconds(durationSeconds));
  }

  /** The machine failed: unsaved work is lost. The run continues. */
  public void recordFailure(double nowSeconds) {
    record(new ControllerEvent().kind(ControllerEventKind.FAILURE).nowSeconds(nowSeconds));
  }

  /** Work continues after a failure. */
  public void recordRecovery(double nowSeconds, double savedSeconds, double overheadSeconds) {
    record(new ControllerEvent().kind(ControllerEventKind.RECOVERY)
        .nowSeconds(nowSeconds).savedSeconds(savedSeconds).overheadSeconds(overheadSeconds));
  }

  /**
   * The run ends without a failure: its last gap is censored, and the cost of saves that no recovery has accounted for counts as
   * overhead without benefit.
   */
  public void recordCleanExit(double nowSeconds) {
    record(new ControllerEvent().kind(ControllerEventKind.CLEAN_EXIT).nowSeconds(nowSeconds));
  }

  /** The process will be terminated. A save is requested at once if earlier saves became durable within that time. */
  public void notifyPreemption(double nowSeconds, double leftSeconds) {
    record(new ControllerEvent().kind(ControllerEventKind.PREEMPTION).nowSeconds(nowSeconds).leftSeconds(leftSeconds));
  }
}
