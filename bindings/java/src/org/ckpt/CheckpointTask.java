package org.ckpt;

import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * A save or load in the background. As a future it completes with the result of a completed task, and exceptionally, with a
 * {@link CkptException} that states the reason, for one that failed or was dropped; a task that was cancelled, by any caller, is a
 * cancelled future. {@link #waitFor} returns the result in any case. Dependent stages never run on the manager's threads.
 */
public final class CheckpointTask extends CompletableFuture<CheckpointTaskResult> {
  private final CompletableFuture<Duration> staged = new CompletableFuture<>();
  private final AsyncManager manager;
  private final Object data;
  private final Object guard = new Object();
  private volatile long id;

  /** Guarded: an error is reported through this future, so that closing the manager need not throw it again. */
  private boolean watched;

  /** Guarded. */
  private boolean hasEnded;

  CheckpointTask(AsyncManager manager, Object data) {
    this.manager = manager;
    this.data = data;
  }

  /** Dependent stages are plain futures, without a task. */
  @Override
  public <U> CompletableFuture<U> newIncompleteFuture() {
    watch();
    return new CompletableFuture<>();
  }

  @Override
  public CheckpointTaskResult get() throws InterruptedException, ExecutionException {
    watch();
    return super.get();
  }

  @Override
  public CheckpointTaskResult get(long timeout, TimeUnit unit)
      throws InterruptedException, ExecutionException, java.util.concurrent.TimeoutException {
    watch();
    return super.get(timeout, unit);
  }

  @Override
  public CheckpointTaskResult join() {
    watch();
    return super.join();
  }

  @Override
  public CheckpointTaskResult getNow(CheckpointTaskResult absent) {
    if (isDone()) watch();
    return super.getNow(absent);
  }

  /** Either this call or the end of the task finds the other one's mark, and reports the result as received. */
  private void watch() {
    boolean ended;
    synchronized (guard) {
      watched = true;
      ended = hasEnded;
    }
    if (ended) reportSeen();
  }

  /** Waits for the task, which makes the manager treat its result as received. */
  private void reportSeen() {
    try {
      manager.waitFor(id, null);
    } catch (CkptException insideListenerOrForgotten) {
      // Then closing throws the error again, or the manager is closed already.
    }
  }

  /** {@return the task's number in the manager: positive, never reused} */
  public long id() {
    return id;
  }

  /**
   * Returns a future that completes when the tensors of a save may be written, with the time that the caller of the save waited.
   *
   * @return a future; it never completes if the task ends without being staged
   */
  public CompletableFuture<Duration> staged() {
    return staged;
  }

  /**
   * Returns the state of the task.
   *
   * @return a snapshot
   * @throws CkptNotFoundException when it is no longer in the history
   */
  public CheckpointTaskInfo info() {
    return manager.task(id);
  }

  /**
   * Waits for the end of the task.
   *
   * @param timeout null: no limit
   * @return the result, also of a failed task
   * @throws CkptTimeoutException when it has not ended after the timeout
   */
  public CheckpointTaskResult waitFor(Duration timeout) {
    return manager.waitFor(id, timeout);
  }

  /** {@return the result, also of a failed task; waits without a limit} */
  public CheckpointTaskResult waitFor() {
    return waitFor(null);
  }

  /**
   * Waits until the tensors of a save may be written, or the save has ended.
   *
   * @param timeout null: no limit
   * @throws CkptTimeoutException when that takes longer
   */
  public void waitStaged(Duration timeout) {
    manager.waitStaged(id, timeout);
  }

  /**
   * Returns the result of a completed save.
   *
   * @return the result of the save
   * @throws CkptInvalidStateException unless it is a save that has completed
   */
  public SaveResult saved() {
    return manager.saved(id);
  }

  /**
   * Returns the result of a completed load.
   *
   * @return the result of the load
   * @throws CkptInvalidStateException unless it is a load that has completed
   */
  public LoadResult loaded() {
    return manager.loaded(id);
  }

  /**
   * Asks the task to stop. When this returns true, the future is done and cancelled; a thread of the manager may not have left the
   * task yet, which {@link #waitFor} waits for.
   *
   * @param mayInterrupt ignored: a running save stops after at most 4 MiB
   * @return true when the task is cancelled; then it leaves nothing in the storage
   */
  @Override
  public boolean cancel(boolean mayInterrupt) {
    if (!isDone() && asksManager()) super.cancel(mayInterrupt);
    return isCancelled();
  }

  private boolean asksManager() {
    try {
      return manager.cancel(id);
    } catch (CkptNotFoundException forgotten) {
      return false; // it has ended already
    }
  }

  void known(long number) {
    id = number;
  }

  void stagedAfter(Duration stall) {
    defaultExecutor().execute(() -> staged.complete(stall));
  }

  void end(CheckpointTaskResult result) {
    defaultExecutor().execute(() -> {
          boolean received;
          synchronized (guard) {
            hasEnded = true;
            received = watched;
          }
          if (received) reportSeen();
          if (result.success()) {
            complete(result);
          } else if (result.state() == CheckpointTaskState.CANCELLED) {
            completeExceptionally(cancellation(result.exception()));
          } else {
            completeExceptionally(result.exception());
          }
        });
  }

  /** Returns the exception that makes a future a cancelled one. */
  private static CancellationException cancellation(CkptException reason) {
    CancellationException created = new CancellationException(reason.getMessage());
    created.initCause(reason);
    return created;
  }

  /** Keeps objects alive as long as the task. */
  Object data() {
    return data;
  }
}
