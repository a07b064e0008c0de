package org.ckpt;

/** How a background task stands. */
public enum CheckpointTaskStatus {
  /** Admitted; being copied, or waiting for a worker or its gate. */
  QUEUED(0),

  /** A worker has begun. */
  RUNNING(1),

  /** A save is durable; a load has filled the state. */
  COMPLETED(2),

  /** It ended with an error. */
  FAILED(3),

  /** It was cancelled. */
  CANCELLED(4),

  /** Refused because the queue was full, or dropped for a newer one. */
  REJECTED(5);

  private final int number;

  CheckpointTaskStatus(int number) {
    this.number = number;
  }

  /**
   * The number in the C API.
   *
   * @return fixed for ever
   */
  public int number() {
    return number;
  }

  static CheckpointTaskStatus of(int number) {
    for (CheckpointTaskStatus one : values()) {
      if (one.number == number) return one;
    }
    throw new InternalException("CheckpointTaskStatus " + number + " is unknown to this version");
  }
}
