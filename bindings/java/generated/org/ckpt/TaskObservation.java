// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/**
 * One task that was observed.
 *
 * @param checkpointed true when a checkpoint was made of it, else false
 * @param durationSeconds duration of the task in seconds
 * @param failed true when it failed, or a failure came while it was the last one, else false
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
