package org.ckpt;

/** In which order stages run the forward and backward parts of micro-batches. */
public enum PipelineSchedule {
  /** All forwards, then all backwards. */
  GPIPE(1),

  /** After a warm-up one forward, one backward, in turn (1F1B). */
  ONE_FORWARD_ONE_BACKWARD(2),

  /** 1F1B over several chunks a stage. */
  INTERLEAVED(3);

  private final int number;

  PipelineSchedule(int number) {
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

  static PipelineSchedule of(int number) {
    for (PipelineSchedule one : values()) {
      if (one.number == number) return one;
    }
    throw new InternalException("PipelineSchedule " + number + " is unknown to this version");
  }
}
