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

  /** A number of a newer version of the library. */
  UNKNOWN(Integer.MIN_VALUE);

  private static final CheckpointTaskState[] KNOWN = values();
  private final int number;

  CheckpointTaskState(int number) {
    this.number = number;
  }

  /** {@return the number in the C API, which never changes} */
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
