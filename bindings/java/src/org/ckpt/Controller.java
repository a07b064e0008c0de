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
}
