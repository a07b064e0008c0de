package org.ckpt;

import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * A save or load in the background. As a future it completes with the result when the task completed, and exceptionally, with the
 * {@link CkptException} that says why, when it failed or was dropped; a task that was cancelled, by any caller, is a cancelled
 * future. {@link #waitFor} returns the result in any case. What depends on it runs on other threads than the manager's.
 */
public final class CheckpointTask extends CompletableFuture<CheckpointTaskResult> {
  private final CompletableFuture<Duration> staged = new CompletableFuture<>();
  private final AsyncManager manager;
  private final Object data;
  private volatile long id;

  /** An error is reported through this future, so that closing the manager need not throw it again. */
  private volatile boolean watched;

  CheckpointTask(AsyncManager manager, Object data) {
    this.manager = manager;
    this.data = data;
  }

  /** Dependents are futures of their own, without a task. */
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

  private void watch() {
    watched = true;
    if (isDone()) reportSeen();
  }

  /** The manager takes a wait for a sign that the result was seen. */
  private void reportSeen() {
    try {
      manager.waitFor(id, null);
    } catch (CkptException insideListenerOrForgotten) {
      // Then closing throws the error once more, or no caller asks any longer.
    }
  }

  /** {@return the task's number in the manager: positive, never given again} */
  public long id() {
    return id;
  }

  /**
   * Completes when the tensors of a save may be written, with the time that the save kept its caller.
   *
   * @return never completes when the task ended without being staged
   */
  public CompletableFuture<Duration> staged() {
    return staged;
  }

  /**
   * How the task stands.
   *
   * @return a snapshot
   * @throws CkptNotFoundException when it is no longer in the history
   */
  public CheckpointTaskInfo info() {
    return manager.task(id);
  }

  /**
   * Waits for the end.
   *
   * @param timeout null: for ever
   * @return how it ended, failures too
   * @throws CkptTimeoutException when it has not ended in time
   */
  public CheckpointTaskResult waitFor(Duration timeout) {
    return manager.waitFor(id, timeout);
  }

  /** {@return how the task ended, failures included; waits without a limit} */
  public CheckpointTaskResult waitFor() {
    return waitFor(null);
  }

  /**
   * Waits until the tensors of a save may be written, or it has ended.
   *
   * @param timeout null: for ever
   * @throws CkptTimeoutException when it was not in time
   */
  public void waitStaged(Duration timeout) {
    manager.waitStaged(id, timeout);
  }

  /**
   * What a completed save made.
   *
   * @return the numbers
   * @throws CkptInvalidStateException unless it is a save that has completed
   */
  public SaveResult saved() {
    return manager.saved(id);
  }

  /**
   * What a completed load found.
   *
   * @return the numbers
   * @throws CkptInvalidStateException unless it is a load that has completed
   */
  public LoadResult loaded() {
    return manager.loaded(id);
  }

  /**
   * Asks the task to stop. When this returns true the future is done and cancelled; a thread of the manager may still be about to
   * leave the task, which {@link #waitFor} waits for.
   *
   * @param mayInterrupt is not looked at: a running save stops at its next 4 MiB
   * @return true when the task is cancelled; nothing of it stays then
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
      return false; // it ended long ago
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
          if (watched) reportSeen();
          if (result.success()) {
            complete(result);
          } else if (result.state() == CheckpointTaskState.CANCELLED) {
            completeExceptionally(cancellation(result.exception()));
          } else {
            completeExceptionally(result.exception());
          }
        });
  }

  /** What makes a future a cancelled one. */
  private static CancellationException cancellation(CkptException reason) {
    CancellationException made = new CancellationException(reason.getMessage());
    made.initCause(reason);
    return made;
  }

  /** What must live as long as the task. */
  Object data() {
    return data;
  }
}
