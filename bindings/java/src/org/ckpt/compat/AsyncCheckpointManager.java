package org.ckpt.compat;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.ckpt.AsyncManager;
import org.ckpt.AsyncManagerOptions;
import org.ckpt.CheckpointManager;
import org.ckpt.CheckpointTaskList;
import org.ckpt.CheckpointTaskOptions;
import org.ckpt.CheckpointTaskState;
import org.ckpt.CkptNotFoundException;
import org.ckpt.SaveOptions;
import org.ckpt.Stateful;
import org.ckpt.WhenFull;

/** {@link AsyncManager} with the methods of the reference API: tasks are identified by their ids. */
public final class AsyncCheckpointManager extends AsyncManager {
  /**
   * Creates a manager with a queue of at most ten tasks; others are refused.
   *
   * @param checkpoints kept alive
   */
  public AsyncCheckpointManager(CheckpointManager checkpoints) {
    this(checkpoints, 10);
  }

  /**
   * Creates a manager with a queue of at most {@code maxQueueSize} tasks; others are refused.
   *
   * @param checkpoints kept alive
   * @param maxQueueSize the most tasks that have not ended
   */
  public AsyncCheckpointManager(CheckpointManager checkpoints, long maxQueueSize) {
    super(checkpoints, new AsyncManagerOptions().capacity(maxQueueSize));
  }

  /**
   * Saves a model and an optimizer in the background.
   *
   * @param model its groups and keys begin with "model."
   * @param optimizer its groups and keys begin with "optimizer."; null: none
   * @param options what is written with them; null: the defaults, step 0
   * @return the id of the task
   * @throws org.ckpt.CkptQueueFullException at once when the queue is full
   */
  public long queueSaveAsync(Stateful model, Stateful optimizer, SaveOptions options) {
    SaveOptions written = options == null ? new SaveOptions() : options;
    return save(model, optimizer, written, new CheckpointTaskOptions().whenFull(WhenFull.REFUSE)).id();
  }

  /**
   * Asks a task to stop.
   *
   * @param taskId the id of the task
   * @return true when the task ends cancelled because of this call; also false for an unknown id
   */
  public boolean cancelCheckpoint(long taskId) {
    try {
      return cancel(taskId);
    } catch (CkptNotFoundException none) {
      return false;
    }
  }

  /**
   * Waits until a task has ended, successfully or not: the result contains a failure.
   *
   * @param taskId the id of the task
   * @param timeout null: without a limit
   * @return the result of the task
   * @throws org.ckpt.CkptTimeoutException when it has not ended in time
   * @throws CkptNotFoundException for an unknown id
   */
  public CheckpointTaskResult waitForCompletion(long taskId, Duration timeout) {
    return CheckpointTaskResult.of(waitFor(taskId, timeout));
  }

  /**
   * Returns the status of a task.
   *
   * @param taskId the id of the task
   * @return the status; empty for an id that is unknown or no longer in the history
   */
  public Optional<CheckpointTaskState> getTaskStatus(long taskId) {
    try {
      return Optional.of(task(taskId).state());
    } catch (CkptNotFoundException none) {
      return Optional.empty();
    }
  }

  /**
   * Returns the tasks that have not ended.
   *
   * @return the tasks, the oldest first
   */
  public List<CheckpointTaskInfo> getActiveTasks() {
    return list(CheckpointTaskList.LIVE).stream().map(CheckpointTaskInfo::of).toList();
  }
}
