// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/**
 * The state of a task, or how it ended. A task changes from QUEUED to RUNNING to one of the final states, or from QUEUED directly
 * to a final state; a final state never changes.
 */
public enum CheckpointTaskState {
  /** Admitted; being copied, or waiting for a worker or its gate. */
  QUEUED(0),

  /** A worker has begun. */
  RUNNING(1),

  /** A save is durable; a load has filled the state. */
  COMPLETED(2),

  /** An error stopped it. */
  FAILED(3),

  /** Stopped on request. */
  CANCELLED(4),

  /** Refused because the queue was full, or dropped for a newer one. */
  REJECTED(5),

  /** A number that this version does not know: a newer library has it. */
  UNKNOWN(Integer.MIN_VALUE);

  private static final CheckpointTaskState[] KNOWN = values();
  private final int number;

  CheckpointTaskState(int number) {
    this.number = number;
  }

  /** {@return the number in the C API, fixed for ever} */
  public int number() {
    return number;
  }

  static CheckpointTaskState of(int number) {
    for (CheckpointTaskState one : KNOWN) {
      if (one.number == number) return one;
    }
    return UNKNOWN;
  }
}
