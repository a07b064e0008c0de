package org.ckpt;

/** What a background task does. */
public enum CheckpointTaskType {
  /** Writes a checkpoint. */
  SAVE(0),

  /** Reads one. */
  LOAD(1);

  private final int number;

  CheckpointTaskType(int number) {
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

  static CheckpointTaskType of(int number) {
    for (CheckpointTaskType one : values()) {
      if (one.number == number) return one;
    }
    throw new InternalException("CheckpointTaskType " + number + " is unknown to this version");
  }
}
