package org.ckpt;

import java.lang.ref.Reference;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;

/**
 * Saves and loads in the background: training goes on as soon as its state was copied, or sooner. Synchronised. Tasks that have not
 * ended keep the manager alive. When the virtual machine goes down, managers that are open are closed as {@link #close} does.
 */
public final class AsyncCheckpointManager extends NativeObject {
  private static final int ALL = 0;
  private static final int LIVE = 0;
  private static final int ENDED = 1;

  private final long drainTimeoutNs;

  private record Made(long address, long drainTimeoutNs) {}

  /**
   * A manager with all defaults: one worker, ten tasks.
   *
   * @param checkpoint kept alive
   */
  public AsyncCheckpointManager(Checkpoint checkpoint) {
    this(checkpoint, new AsyncOptions());
  }

  /**
   * A manager with its threads.
   *
   * @param checkpoint kept alive
   * @param options how it works
   */
  public AsyncCheckpointManager(Checkpoint checkpoint, AsyncOptions options) {
    this(create(checkpoint, options));
  }

  private AsyncCheckpointManager(Made made) {
    super(made.address, Native::ckpt_async_manager_release);
    drainTimeoutNs = made.drainTimeoutNs;
    Exit.closes(this);
  }

  private static Made create(Checkpoint checkpoint, AsyncOptions options) {
    try (ckpt_async_manager_options struct = new ckpt_async_manager_options()) {
      options.apply(struct);
      NativeAsyncListener listener = options.listener() == null ? null : AsyncFunctions.pinned(null, options.listener());
      long address = number(out -> Native.ckpt_async_manager_create(checkpoint, struct, listener, out));
      return new Made(address, struct.getDrain_timeout_ns());
    }
  }

  // ---- Tasks ----

  /**
   * Saves a state in the background.
   *
   * @param state read; what it lists is copied during the call
   * @param options what is written beside it
   * @param how the task is admitted, copied and told of
   * @return the task
   * @throws QueueFullException as the options say; an error of an earlier save that nobody was told of is thrown here, once
   */
  public CheckpointTask save(State state, SaveOptions options, TaskOptions how) {
    return start(this, how, null, options, (struct, save, listener, source, out) ->
        Native.ckpt_async_manager_save(this, state, save, struct, listener, source, out));
  }

  /**
   * The same with all defaults.
   *
   * @param state read; what it lists is copied during the call
   * @param step of the run
   * @return the task
   */
  public CheckpointTask save(State state, long step) {
    return save(state, new SaveOptions().step(step), new TaskOptions());
  }

  /**
   * Queues a save of a model and an optimizer, which list what is saved of them.
   *
   * @param model its groups and keys begin with "model."
   * @param optimizer its groups and keys begin with "optimizer."; null: none
   * @param options what is written beside them
   * @return the task
   */
  public CheckpointTask queueSaveAsync(Stateful model, Stateful optimizer, SaveOptions options) {
    try (State state = new State()) {
      state.add("model", model);
      if (optimizer != null) state.add("optimizer", optimizer);
      return save(state, options, new TaskOptions());
    }
  }

  /**
   * Loads into a state in the background.
   *
   * @param state written; nobody else may use it until the task has ended
   * @param options how
   * @param how the task is admitted and told of
   * @return the task
   */
  public CheckpointTask load(State state, LoadOptions options, TaskOptions how) {
    CheckpointTask task = new CheckpointTask(this, state);
    try (ckpt_checkpoint_task_options struct = new ckpt_checkpoint_task_options(); ckpt_load_options load = new ckpt_load_options()) {
      how.apply(struct);
      options.apply(load);
      NativeAsyncListener listener = AsyncFunctions.pinned(task, how.listener());
      task.known(number(out -> Native.ckpt_async_manager_load(this, state, load, struct, listener, out)));
    }
    return task;
  }

  interface Starter {
    void start(
        ckpt_checkpoint_task_options task, ckpt_save_options save, NativeAsyncListener listener, NativeAsyncSource source, long[] id);
  }

  static CheckpointTask start(AsyncCheckpointManager manager, TaskOptions how, Object data, SaveOptions options, Starter call) {
    CheckpointTask task = new CheckpointTask(manager, data);
    try (ckpt_checkpoint_task_options struct = new ckpt_checkpoint_task_options(); ckpt_save_options save = new ckpt_save_options()) {
      how.apply(struct);
      options.apply(save);
      NativeAsyncListener listener = AsyncFunctions.pinned(task, how.listener());
      NativeAsyncSource source = AsyncFunctions.pinned(how.source());
      task.known(number(out -> call.start(struct, save, listener, source, out)));
    }
    return task;
  }

  /**
   * Asks a task to stop.
   *
   * @param id of the task
   * @return true when the task ends cancelled because of this call; nothing of it stays then
   */
  public boolean cancelCheckpoint(long id) {
    return truth(out -> Native.ckpt_async_manager_cancel(this, id, out));
  }

  /**
   * Waits for the end of a task.
   *
   * @param id of the task
   * @param timeout null: for ever
   * @return how it ended, failures too
   * @throws TimeoutException when it has not ended in time
   */
  public CheckpointTaskResult waitForCompletion(long id, Duration timeout) {
    try (ckpt_checkpoint_task_result result = new ckpt_checkpoint_task_result()) {
      Native.ckpt_async_manager_wait(this, id, nanoseconds(timeout), result);
      return CheckpointTaskResult.of(result);
    }
  }

  /**
   * The same, for ever.
   *
   * @param id of the task
   * @return how it ended, failures too
   */
  public CheckpointTaskResult waitForCompletion(long id) {
    return waitForCompletion(id, null);
  }

  /**
   * Waits until all tasks have ended.
   *
   * @param timeout null: for ever
   * @throws TimeoutException when they have not in time
   */
  public void waitAll(Duration timeout) {
    Native.ckpt_async_manager_wait(this, ALL, nanoseconds(timeout), null);
  }

  /**
   * Waits until the tensors of a save may be written, or it has ended.
   *
   * @param id of the task
   * @param timeout null: for ever
   * @throws TimeoutException when it was not in time
   */
  public void waitStaged(long id, Duration timeout) {
    Native.ckpt_async_manager_wait_staged(this, id, nanoseconds(timeout));
  }

  /**
   * The same for all saves.
   *
   * @param timeout null: for ever
   */
  public void waitAllStaged(Duration timeout) {
    waitStaged(ALL, timeout);
  }

  /**
   * Tells that a step has ended: tasks whose gate is not after it may begin.
   *
   * @param step never goes back
   */
  public void endStep(long step) {
    Native.ckpt_async_manager_end_step(this, step);
  }

  SaveResult saved(long id) {
    try (ckpt_save_result result = new ckpt_save_result()) {
      Native.ckpt_async_manager_get_save_result(this, id, result);
      return SaveResult.of(result);
    }
  }

  LoadResult loaded(long id) {
    try (ckpt_load_result result = new ckpt_load_result()) {
      Native.ckpt_async_manager_get_load_result(this, id, result);
      return LoadResult.of(result);
    }
  }

  // ---- Look ----

  /**
   * How a task stands.
   *
   * @param id of the task
   * @return empty for an id that is unknown or no longer in the history
   */
  public Optional<CheckpointTaskStatus> getTaskStatus(long id) {
    try {
      return Optional.of(task(id).status());
    } catch (NotFoundException none) {
      return Optional.empty();
    }
  }

  /**
   * The same with all that is known.
   *
   * @param id of the task
   * @return a snapshot
   * @throws NotFoundException for an id that is unknown or no longer in the history
   */
  public CheckpointTaskInfo task(long id) {
    try (ckpt_checkpoint_task_info struct = new ckpt_checkpoint_task_info()) {
      Native.ckpt_async_manager_get_task(this, id, struct);
      return CheckpointTaskInfo.of(struct);
    }
  }

  /**
   * Tasks that have not ended.
   *
   * @return the oldest first
   */
  public List<CheckpointTaskInfo> getActiveTasks() {
    return listed(LIVE);
  }

  /**
   * Tasks that have ended, as far as the history goes.
   *
   * @return in the order in which they ended
   */
  public List<CheckpointTaskInfo> getEndedTasks() {
    return listed(ENDED);
  }

  private List<CheckpointTaskInfo> listed(int which) {
    return LongStream.of(Native.ckpt_async_manager_list(this, which)).mapToObj(this::found).flatMap(Optional::stream).toList();
  }

  private Optional<CheckpointTaskInfo> found(long id) {
    try {
      return Optional.of(task(id));
    } catch (NotFoundException goneMeanwhile) {
      return Optional.empty();
    }
  }

  /**
   * What the manager does and has done.
   *
   * @return a snapshot
   */
  public AsyncStats stats() {
    try (ckpt_async_manager_stats struct = new ckpt_async_manager_stats()) {
      Native.ckpt_async_manager_get_stats(this, struct);
      return AsyncStats.of(struct);
    }
  }

  // ---- End ----

  /**
   * Takes nothing new, lets the tasks end, and ends the threads. The object can still be asked.
   *
   * @param mode what becomes of the tasks
   * @param timeout that draining may take; null: for ever
   * @throws TimeoutException when it took longer: what remained was cancelled
   * @throws CkptException the error of a save that failed and that nobody was told of
   */
  public void shutdown(CloseMode mode, Duration timeout) {
    Native.ckpt_async_manager_close(this, mode.number(), nanoseconds(timeout));
  }

  /**
   * Lets the tasks end for at most the options' drain time-out, ends the threads, and gives the object back. Throws as
   * {@link #shutdown} does. Inside a listener it returns at once, and the manager's own threads do the rest.
   */
  @Override
  public void close() {
    if (isClosed()) return;
    try {
      Native.ckpt_async_manager_close(this, CloseMode.DRAIN.number(), drainTimeoutNs);
    } catch (InvalidStateException error) {
      if (!AsyncFunctions.insideListener()) throw error;
    } finally {
      super.close();
      Reference.reachabilityFence(this);
    }
  }
}
