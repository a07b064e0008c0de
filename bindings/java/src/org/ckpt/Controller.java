package org.ckpt;

/**
 * Decides when to save. Measures the cost of saves and the failure rate of the machine. Times are seconds on any clock that does
 * not go backwards. Synchronized.
 */
public final class Controller extends ControllerMethods {
  /** Creates a controller with all defaults, which measures everything itself. */
  public Controller() {
    this(new ControllerOptions());
  }

  /**
   * Creates a controller.
   *
   * @param options the options of the controller
   */
  public Controller(ControllerOptions options) {
    super(number(out -> options.with(struct -> Native.ckpt_controller_create(struct, out))));
  }

  /**
   * Begins a save in the background, and records its commit or abort when it ends.
   *
   * @param manager the manager that saves
   * @param now the time in seconds
   * @param state read; the controller's state is added first
   * @param options the options of the save
   * @param how options of the task: admission and copy
   * @param listener notified of this task, after that of the manager; null: none
   * @param source reads the tensors instead of the library; null: they are in memory
   * @return the task
   */
  public CheckpointTask saveAsync(
      AsyncManager manager, double now, State state, SaveOptions options, CheckpointTaskOptions how,
      CheckpointTaskListener listener, CheckpointTaskSource source) {
    return AsyncManager.start(manager, how, options, this, listener, source, (save, task, called, read, out) ->
        Native.ckpt_controller_save_async(this, now, manager, state, save, task, called, read, out),
        this, state);
  }
}
