package org.ckpt;

import java.lang.ref.Reference;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.LongStream;

/**
 * Saves and loads in the background: training continues once its state is copied, or sooner. Synchronized. Tasks that have not
 * ended keep the manager alive. When the virtual machine shuts down, open managers are closed as by {@link #close}.
 */
public class AsyncManager extends AsyncManagerMethods {
  private static final long ALL = 0;

  private final Duration drainTimeout;

  /**
   * Creates a manager with all defaults: one worker, ten tasks.
   *
   * @param checkpoints kept alive
   */
  public AsyncManager(CheckpointManager checkpoints) {
    this(checkpoints, new AsyncManagerOptions(), null);
  }

  /**
   * Creates a manager and starts its threads.
   *
   * @param checkpoints kept alive
   * @param options the options of the manager
   */
  public AsyncManager(CheckpointManager checkpoints, AsyncManagerOptions options) {
    this(checkpoints, options, null);
  }

  /**
   * Creates a manager with a listener and starts its threads.
   *
   * @param checkpoints kept alive
   * @param options the options of the manager
   * @param listener notified of all tasks, pinned as long as the manager lives; null: none
   */
  @SuppressWarnings("this-escape") // javac 21: Exit only stores it, and close() reads no field of a subclass
  public AsyncManager(CheckpointManager checkpoints, AsyncManagerOptions options, CheckpointTaskListener listener) {
    super(create(checkpoints, options, listener));
    Fallback.install();
    drainTimeout = options.drainTimeout();
    Exit.closeAtShutdown(this);
  }

  private static long create(CheckpointManager checkpoints, AsyncManagerOptions options, CheckpointTaskListener listener) {
    NativeAsyncListener called = listener == null ? null : TaskFunctions.pinned(null, listener);
    return number(out -> options.with(struct -> Native.ckpt_async_manager_create(checkpoints, struct, called, out)));
  }

  // ---- Tasks ----

  /**
   * Saves a state in the background.
   *
   * @param state read; its list of tensors and its values are copied during the call
   * @param options the options of the save
   * @param how options of the task: admission and copy
   * @param listener notified of this task, after that of the manager; null: none
   * @param source reads the tensors instead of the library; null: they are in memory. Not with BORROW
   * @return the task
   * @throws CkptQueueFullException if the options refuse a full queue; the error of an earlier save that no caller has received is
   *     also thrown here, once
   */
  public CheckpointTask save(
      State state, SaveOptions options, CheckpointTaskOptions how, CheckpointTaskListener listener, CheckpointTaskSource source) {
    return start(this, how, options, null, listener, source, (save, task, called, read, out) ->
        Native.ckpt_async_manager_save(this, state, save, task, called, read, out), state);
  }

  /**
   * Saves a state in the background, without a listener and a source.
   *
   * @param state read; its list of tensors and its values are copied during the call
   * @param options the options of the save
   * @param how options of the task: admission and copy
   * @return the task
   */
  public CheckpointTask save(State state, SaveOptions options, CheckpointTaskOptions how) {
    return save(state, options, how, null, null);
  }

  /**
   * Saves a state in the background, with all defaults.
   *
   * @param state read; its list of tensors and its values are copied during the call
   * @param step the step of the run
   * @return the task
   */
  public CheckpointTask save(State state, long step) {
    return save(state, new SaveOptions().step(step), new CheckpointTaskOptions());
  }

  /**
   * Saves a model and an optimizer in the background, which list their tensors and values.
   *
   * @param model its groups and keys begin with "model."
   * @param optimizer its groups and keys begin with "optimizer."; null: none
   * @param options the options of the save
   * @return the task
   */
  public CheckpointTask save(Stateful model, Stateful optimizer, SaveOptions options) {
    return save(model, optimizer, options, new CheckpointTaskOptions());
  }

  /**
   * Saves a model and an optimizer in the background, with options for the admission and the copy.
   *
   * @param model its groups and keys begin with "model."
   * @param optimizer its groups and keys begin with "optimizer."; null: none
   * @param options the options of the save
   * @param how options of the task: admission and copy
   * @return the task
   */
  public CheckpointTask save(Stateful model, Stateful optimizer, SaveOptions options, CheckpointTaskOptions how) {
    try (State state = State.of(model, optimizer)) {
      return save(state, options, how);
    }
  }

  /**
   * Loads into a state in the background.
   *
   * @param state written; other uses of it fail until the task has ended
   * @param options the options of the load
   * @param how options of the task: admission
   * @param listener notified of this task, after that of the manager; null: none
   * @return the task
   */
  public CheckpointTask load(State state, LoadOptions options, CheckpointTaskOptions how, CheckpointTaskListener listener) {
    return load(state, options, how, listener, null);
  }

  /**
   * Loads into a state in the background and renames tensors.
   *
   * @param state written; other uses of it fail until the task has ended
   * @param options the options of the load
   * @param how options of the task: admission
   * @param listener notified of this task, after that of the manager; null: none
   * @param rename as for {@link CheckpointManager#load(State, LoadOptions, UnaryOperator)}, on a thread of the manager
   * @return the task
   */
  public CheckpointTask load(State state, LoadOptions options, CheckpointTaskOptions how, CheckpointTaskListener listener,
      UnaryOperator<String> rename) {
    CheckpointTask task = new CheckpointTask(this, state);
    task.known(CollectiveCall.make(call -> number(out -> how.with(struct -> options.with(load -> {
      call.begin(state);
      Native.ckpt_async_manager_load(
          this, state, load, struct, TaskFunctions.pinned(task, listener), StateFunctions.renamer(rename), out);
    }))), () -> Native.ckpt_async_manager_load(this, null, null, null, null, null, null)));
    return task;
  }

  /**
   * Loads into a state in the background, with all defaults.
   *
   * @param state written; other uses of it fail until the task has ended
   * @return the task
   */
  public CheckpointTask load(State state) {
    return load(state, new LoadOptions(), new CheckpointTaskOptions(), null);
  }

  interface Starter {
    void start(
        ckpt_save_options save, ckpt_checkpoint_task_options task, NativeAsyncListener listener, NativeAsyncSource source,
            long[] id);
  }

  /** Starts a save by starter. objects: its arguments, without the manager. */
  static CheckpointTask start(
      AsyncManager manager, CheckpointTaskOptions how, SaveOptions options, Object data, CheckpointTaskListener listener,
      CheckpointTaskSource source, Starter starter, NativeObject... objects) {
    CheckpointTask task = new CheckpointTask(manager, data);
    task.known(CollectiveCall.make(call -> number(out -> how.with(struct -> options.with(save -> {
      call.begin(objects);
      starter.start(save, struct, TaskFunctions.pinned(task, listener), TaskFunctions.pinned(source), out);
    }))), () -> Native.ckpt_async_manager_save(manager, null, null, null, null, null, null)));
    return task;
  }

  /**
   * Waits for the end of a task.
   *
   * @param id of the task
   * @param timeout null: no limit
   * @return the result, also of a failed task
   * @throws CkptTimeoutException when it has not ended after the timeout
   * @throws CkptNotFoundException for an id that is unknown or no longer in the history
   */
  public CheckpointTaskResult waitFor(long id, Duration timeout) {
    if (id == ALL) task(id); // not the id of a task: throws CkptNotFoundException
    return CheckpointTaskResult.from(result -> Native.ckpt_async_manager_wait(this, id, nanoseconds(timeout), result));
  }

  /**
   * Waits until all tasks have ended.
   *
   * @param timeout null: no limit
   * @throws CkptTimeoutException when they have not ended after the timeout
   */
  public void waitAll(Duration timeout) {
    Native.ckpt_async_manager_wait(this, ALL, nanoseconds(timeout), null);
  }

  /**
   * Waits until all saves are staged: their tensors may be written.
   *
   * @param timeout null: no limit
   */
  public void waitAllStaged(Duration timeout) {
    waitStaged(ALL, timeout);
  }

  SaveResult saved(long id) {
    return SaveResult.from(result -> Native.ckpt_async_manager_get_save_result(this, id, result));
  }

  LoadResult loaded(long id) {
    return LoadResult.from(result -> Native.ckpt_async_manager_get_load_result(this, id, result));
  }

  // ---- Queries ----

  /**
   * Returns the tasks that the manager or its history holds.
   *
   * @param which LIVE or ENDED
   * @return LIVE: the oldest first; ENDED: in the order in which they ended
   */
  public List<CheckpointTaskInfo> list(CheckpointTaskList which) {
    long[] ids = Native.ckpt_async_manager_list(this, which.number());
    return LongStream.of(ids).mapToObj(this::found).flatMap(Optional::stream).toList();
  }

  private Optional<CheckpointTaskInfo> found(long id) {
    try {
      return Optional.of(task(id));
    } catch (CkptNotFoundException goneMeanwhile) {
      return Optional.empty();
    }
  }

  // ---- Closing ----

  /**
   * Lets the tasks end for at most the options' drain timeout, ends the threads, and releases the object. Throws like
   * {@link #close(CloseMode, Duration)}. Inside a listener it returns immediately, and the manager's own threads do the rest.
   */
  @Override
  public void close() {
    if (isClosed()) return;
    try {
      close(CloseMode.DRAIN, drainTimeout);
    } catch (CkptInvalidStateException error) {
      if (!TaskFunctions.insideListener()) throw error;
    } finally {
      super.close();
      Reference.reachabilityFence(this);
    }
  }

  /** Releases the manager: ends its tasks within the drain timeout, and reports failures that no call has returned. */
  void closeAtExit() {
    super.close();
    Reference.reachabilityFence(this);
  }
}
