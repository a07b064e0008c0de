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
}
