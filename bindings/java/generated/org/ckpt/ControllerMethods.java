// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

import java.time.Duration;
import java.util.List;

/** The methods of {@link Controller} that are one call of the C API. */
abstract class ControllerMethods extends NativeObject {
  ControllerMethods(long address) {
    super(address, Native::ckpt_controller_release);
  }

  /** Returns the time on the controller's clock, for callers that have none of their own. */
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
   * Decides whether to save now, and why. Changes nothing, so it may be asked as often as one likes. {@link Status#INVALID_STATE}
   * when no run is going on.
   */
  public Decision shouldCheckpoint(double nowSeconds) {
    return Decision.from(struct -> Native.ckpt_controller_should_checkpoint(this, nowSeconds, struct));
  }

  /**
   * Decides as {@code Controller.shouldCheckpoint}, with the same answer for all processes, which must all call it: rank 0 decides
   * and broadcasts. What a save has cost is the longest stall of all ranks, each of which begins and commits every save in a
   * controller of its own: after a save this call gathers their stalls on rank 0, whose controller notes the longest before it
   * decides; again until none of them is still in that save. The other ranks' controllers keep their own stalls. nowSeconds counts
   * on rank 0 only. If rank 0 cannot decide, or the arguments of one rank are wrong, all return the status and message of that
   * rank. Only a rank whose coordinator is null or another handle returns alone; the others time out. {@link Status#TIMEOUT} and
   * {@link Status#CALLBACK} as {@code Coordinator.allGather}, {@code Coordinator.gather} and {@code Coordinator.broadcast}. {@link
   * Status#CORRUPT} if they return invalid data instead of a decision or stalls. timeout: at least 0, for the call as a whole.
   */
  public Decision decideAll(Coordinator coordinator, double nowSeconds, Duration timeout) {
    return Decision.from(struct -> Native.ckpt_controller_decide_all(this, coordinator, nowSeconds, nanoseconds(timeout), struct));
  }

  /** Returns what the controller knows. */
  public ControllerInfo info() {
    return ControllerInfo.from(struct -> Native.ckpt_controller_get_info(this, struct));
  }

  /** Lists the tasks that are remembered, the oldest first. */
  public List<TaskObservation> tasks() {
    return values(Native.ckpt_controller_list_tasks(this), TaskObservation::of, ckpt_task_observation::close);
  }

  /**
   * Returns everything that the controller knows as JSON. Meant for {@code State.setJson} with the key "controller", after {@link
   * ControllerEventKind#SAVE_BEGAN}, so that learning survives the crash that it learns from. Numbers read back to the same bits.
   */
  public String json() {
    return Native.ckpt_controller_get_json(this);
  }

  /**
   * Reads what {@code Controller.json} wrote, also of a controller with other options: these stay. In the same process the
   * controller goes on where the other one was; after a restart record {@link ControllerEventKind#RUN_RESUMED}. {@link
   * Status#CORRUPT} when json is not such a text, {@link Status#UNSUPPORTED} when it is of a later version; then nothing changes.
   */
  public void restore(String json) {
    Native.ckpt_controller_restore(this, json);
  }

  /** A run begins: budgets and windows start again. {@link Status#INVALID_STATE} during a run. */
  public void beginRun(double nowSeconds) {
    record(new ControllerEvent().kind(ControllerEventKind.RUN_BEGAN).nowSeconds(nowSeconds));
  }

  /**
   * This process continues what {@code Controller.restore} loaded. If a run was in progress there, it has failed: half an interval
   * after its last event, but not later than now; record its recovery next. Without such a run: as {@link
   * ControllerEventKind#RUN_BEGAN}. The time may be on another clock than in the process before.
   */
  public void resume(double nowSeconds) {
    record(new ControllerEvent().kind(ControllerEventKind.RUN_RESUMED).nowSeconds(nowSeconds));
  }

  /**
   * A save starts: no other one is asked for until it is committed or aborted. {@link Status#INVALID_STATE} while one is in flight.
   */
  public void begin(double nowSeconds) {
    record(new ControllerEvent().kind(ControllerEventKind.SAVE_BEGAN).nowSeconds(nowSeconds));
  }

  /** The save in flight is durable. {@link Status#INVALID_STATE} without a save in flight. */
  public void commit(double nowSeconds, double stallSeconds, double durableSeconds) {
    record(new ControllerEvent().kind(ControllerEventKind.SAVE_COMMITTED)
        .nowSeconds(nowSeconds).stallSeconds(stallSeconds).durableSeconds(durableSeconds));
  }

  /** The save in flight failed: nothing is learned from it. {@link Status#INVALID_STATE} without a save in flight. */
  public void abort(double nowSeconds) {
    record(new ControllerEvent().kind(ControllerEventKind.SAVE_ABORTED).nowSeconds(nowSeconds));
  }

  /**
   * A task is done; as {@code Threshold.observeTask}. The mean duration also stands for {@code ControllerOptions.pollSeconds} when
   * that is 0.
   */
  public void observeTask(String name, double durationSeconds) {
    record(new ControllerEvent().kind(ControllerEventKind.TASK_DONE).name(name).durationSeconds(durationSeconds));
  }

  /** The machine failed: what was not saved is lost. The run continues. */
  public void recordFailure(double nowSeconds) {
    record(new ControllerEvent().kind(ControllerEventKind.FAILURE).nowSeconds(nowSeconds));
  }

  /** Work continues after a failure. */
  public void recordRecovery(double nowSeconds, double savedSeconds, double overheadSeconds) {
    record(new ControllerEvent().kind(ControllerEventKind.RECOVERY)
        .nowSeconds(nowSeconds).savedSeconds(savedSeconds).overheadSeconds(overheadSeconds));
  }

  /**
   * The run ends without a failure: its last gap is censored, and the cost of saves that no recovery has judged was spent for
   * nothing.
   */
  public void recordCleanExit(double nowSeconds) {
    record(new ControllerEvent().kind(ControllerEventKind.CLEAN_EXIT).nowSeconds(nowSeconds));
  }

  /** The process will be terminated. A save is asked for at once if those before became durable within that time. */
  public void notifyPreemption(double nowSeconds, double leftSeconds) {
    record(new ControllerEvent().kind(ControllerEventKind.PREEMPTION).nowSeconds(nowSeconds).leftSeconds(leftSeconds));
  }
}
