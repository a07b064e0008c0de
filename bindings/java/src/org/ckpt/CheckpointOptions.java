package org.ckpt;

/** How the checkpoints of a storage are opened. */
public final class CheckpointOptions {
  private Boolean readOnly;
  private Long keepLast;
  private Long keepEvery;
  private Long keepBest;
  private Boolean bestIsLargest;
  private Coordinator coordinator;
  private FaultHandler faultHandler;

  /** All defaults. */
  public CheckpointOptions() {}

  /**
   * True: no lock, nothing is ever changed, saves fail. Default false.
   *
   * @param readOnly the value
   * @return this
   */
  public CheckpointOptions readOnly(boolean readOnly) {
    this.readOnly = readOnly;
    return this;
  }

  /**
   * After every save older checkpoints go, except this many (the saved one included); 0, the default: all stay.
   *
   * @param keepLast the value
   * @return this
   */
  public CheckpointOptions keepLast(long keepLast) {
    this.keepLast = keepLast;
    return this;
  }

  /**
   * Those whose step is a multiple of this stay too; 0, the default: none. Needs keepLast.
   *
   * @param keepEvery the value
   * @return this
   */
  public CheckpointOptions keepEvery(long keepEvery) {
    this.keepEvery = keepEvery;
    return this;
  }

  /**
   * This many with the best metric stay too; 0, the default: none. Needs keepLast.
   *
   * @param keepBest the value
   * @return this
   */
  public CheckpointOptions keepBest(long keepBest) {
    this.keepBest = keepBest;
    return this;
  }

  /**
   * Whether a larger metric is better; default false.
   *
   * @param bestIsLargest the value
   * @return this
   */
  public CheckpointOptions bestIsLargest(boolean bestIsLargest) {
    this.bestIsLargest = bestIsLargest;
    return this;
  }

  /**
   * How the processes of the run find one another; default: a single process.
   *
   * @param coordinator the value
   * @return this
   */
  public CheckpointOptions coordinator(Coordinator coordinator) {
    this.coordinator = coordinator;
    return this;
  }

  /**
   * Says which of the storage's errors are tried again; default: one with its defaults. Give one with maxAttempts 1 before a
   * storage that tries again by itself: the attempts would multiply.
   *
   * @param faultHandler the value
   * @return this
   */
  public CheckpointOptions faultHandler(FaultHandler faultHandler) {
    this.faultHandler = faultHandler;
    return this;
  }

  /** Changes what was set; everything else keeps the library's default. */
  void apply(ckpt_checkpoint_manager_options struct) {
    if (readOnly != null) struct.setRead_only(readOnly ? 1 : 0);
    if (keepLast != null) struct.setKeep_last(keepLast);
    if (keepEvery != null) struct.setKeep_every(keepEvery);
    if (keepBest != null) struct.setKeep_best(keepBest);
    if (bestIsLargest != null) struct.setBest_is(bestIsLargest ? 1 : 0);
    if (coordinator != null) struct.setCoordinator(coordinator);
    if (faultHandler != null) struct.setFault_handler(faultHandler);
  }
}
