// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/**
 * One observed task.
 *
 * @param checkpointed true when a checkpoint followed it, else false
 * @param durationSeconds duration of the task in seconds
 * @param failed true when it failed, or a failure occurred while it was the last task, else false
 * @param name name of the task: UTF-8, not blank
 */
public record TaskObservation(
    boolean checkpointed, double durationSeconds, boolean failed, String name) {
  static TaskObservation of(ckpt_task_observation struct) {
    return new TaskObservation(
        struct.getCheckpointed() != 0, struct.getDuration_seconds(), struct.getFailed() != 0, struct.getName());
  }

  static TaskObservation from(NativeObject.Into<ckpt_task_observation> call) {
    try (ckpt_task_observation struct = new ckpt_task_observation()) {
      call.call(struct);
      return of(struct);
    }
  }
}
