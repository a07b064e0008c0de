package org.ckpt;

/**
 * A task that a controller or threshold rule was told of.
 *
 * @param name of the task
 * @param seconds it took
 * @param checkpointed whether a checkpoint was made of it
 * @param failed whether a failure came while it was the last one
 */
public record ObservedTask(String name, double seconds, boolean checkpointed, boolean failed) {
  static ObservedTask of(ckpt_task_observation struct) {
    return new ObservedTask(
        struct.getName(), struct.getSeconds(), struct.getCheckpointed() != 0, struct.getFailed() != 0);
  }
}
