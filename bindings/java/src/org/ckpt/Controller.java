package org.ckpt;

/**
 * Decides when to save: learns what saves cost and how often the machine fails. Times are seconds on any clock that does not go
 * backwards. Synchronised.
 */
public final class Controller extends ControllerMethods {
  /** A controller that learns everything by itself. */
  public Controller() {
    this(new ControllerOptions());
  }

  /**
   * A controller.
   *
   * @param options how it decides
   */
  public Controller(ControllerOptions options) {
    super(number(out -> options.with(struct -> Native.ckpt_controller_create(struct, out))));
  }

  private static ControllerEvent at(ControllerEventKind kind, double now) {
    return new ControllerEvent().kind(kind).nowSeconds(now);
  }

  /**
   * A run begins.
   *
   * @param now seconds
   */
  public void beginRun(double now) {
    record(at(ControllerEventKind.RUN_BEGAN, now));
  }

  /**
   * A process goes on with what it loaded by {@link #restore}: a run that was going on there has failed.
   *
   * @param now seconds, on any clock
   */
  public void resume(double now) {
    record(at(ControllerEventKind.RUN_RESUMED, now));
  }

  /**
   * A save starts.
   *
   * @param now seconds
   */
  public void begin(double now) {
    record(at(ControllerEventKind.SAVE_BEGAN, now));
  }

  /**
   * The save that was begun is durable.
   *
   * @param now seconds
   * @param stallSeconds how long work stood still for it
   * @param durableSeconds from its begin until it was durable
   */
  public void commit(double now, double stallSeconds, double durableSeconds) {
    record(at(ControllerEventKind.SAVE_COMMITTED, now).stallSeconds(stallSeconds).durableSeconds(durableSeconds));
  }

  /**
   * The save that was begun came to nothing.
   *
   * @param now seconds
   */
  public void abort(double now) {
    record(at(ControllerEventKind.SAVE_ABORTED, now));
  }

  /**
   * Begins a save in the background that commits or aborts by itself when it ends.
   *
   * @param manager does the save
   * @param now seconds
   * @param state read; gets what the controller knows first
   * @param options what is written beside it
   * @param how the task is admitted and copied
   * @param listener notified of this task, after that of the manager; null: none
   * @param source reads the tensors instead of the library; null: they are memory
   * @return the task
   */
  public CheckpointTask saveAsync(
      AsyncManager manager, double now, State state, SaveOptions options, CheckpointTaskOptions how,
      CheckpointTaskListener listener, CheckpointTaskSource source) {
    return AsyncManager.start(manager, how, options, this, listener, source, (save, task, called, read, out) ->
        Native.ckpt_controller_save_async(this, now, manager, state, save, task, called, read, out));
  }

  /**
   * A task took so long.
   *
   * @param name not blank, at most 95 bytes
   * @param seconds at least 0
   */
  public void observeTask(String name, double seconds) {
    record(at(ControllerEventKind.TASK_DONE, 0).name(name).durationSeconds(seconds));
  }

  /**
   * The machine failed, and what was not saved is lost. The run goes on.
   *
   * @param now seconds
   */
  public void recordFailure(double now) {
    record(at(ControllerEventKind.FAILURE, now));
  }

  /**
   * Work goes on after a failure.
   *
   * @param now seconds
   * @param savedSeconds work that the loaded checkpoint made it needless to do again
   * @param overheadSeconds what that checkpoint had cost
   */
  public void recordRecovery(double now, double savedSeconds, double overheadSeconds) {
    record(at(ControllerEventKind.RECOVERY, now).savedSeconds(savedSeconds).overheadSeconds(overheadSeconds));
  }

  /**
   * The run ends without a failure.
   *
   * @param now seconds
   */
  public void recordCleanExit(double now) {
    record(at(ControllerEventKind.CLEAN_EXIT, now));
  }

  /**
   * The process will be ended.
   *
   * @param now seconds
   * @param leftSeconds until then
   */
  public void notifyPreemption(double now, double leftSeconds) {
    record(at(ControllerEventKind.PREEMPTION, now).leftSeconds(leftSeconds));
  }
}
