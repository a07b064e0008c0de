package org.ckpt;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** Names that other checkpointing libraries use, for programs that move from them. New programs need none of these. */
public final class Compatibility {
  private Compatibility() {}

  /** The kinds of strategies. */
  public enum StrategyKind {
    /** Every n-th layer. */
    INTERVAL,
    /** Layers that are named. */
    SELECTIVE,
    /** Large activations. */
    SIZE_BASED,
    /** Every n-th layer; n shrinks while memory is short. */
    MEMORY_AWARE,
    /** Large, rarely used and late layers. */
    SMART
  }

  /**
   * The values of every kind of strategy, of which each kind reads its own.
   *
   * @param strategy the kind
   * @param interval of INTERVAL: every n-th layer
   * @param checkpointLayers of SELECTIVE: names or globs
   * @param excludeLayers of SELECTIVE, SIZE_BASED and SMART: names or globs
   * @param minActivationSizeBytes of SIZE_BASED: activations of at least so many bytes
   * @param maxMemoryPercentage of MEMORY_AWARE: share of the memory, in (0, 1]
   */
  public record CheckpointConfig(
      StrategyKind strategy, long interval, Collection<String> checkpointLayers, Collection<String> excludeLayers,
      long minActivationSizeBytes, double maxMemoryPercentage) {
    /**
     * The usual values of a kind.
     *
     * @param strategy the kind
     */
    public CheckpointConfig(StrategyKind strategy) {
      this(strategy, 2, List.of(), List.of(), 1 << 20, 0.8);
    }
  }

  /** Strategies by name, with their usual values. */
  public static final class CheckpointStrategyFactory {
    private CheckpointStrategyFactory() {}

    /**
     * Of any kind.
     *
     * @param config its values
     * @return the strategy
     */
    public static Strategy createStrategy(CheckpointConfig config) {
      return switch (config.strategy()) {
        case INTERVAL -> createInterval(config.interval());
        case SELECTIVE -> createSelective(config.checkpointLayers(), config.excludeLayers());
        case SIZE_BASED -> createSizeBased(config.minActivationSizeBytes(), config.excludeLayers());
        case MEMORY_AWARE -> createMemoryAware(config.maxMemoryPercentage(), null);
        case SMART -> createSmart(config.excludeLayers());
      };
    }

    /**
     * Every second layer.
     *
     * @return the strategy
     */
    public static Strategy createInterval() {
      return createInterval(2);
    }

    /**
     * Every n-th layer.
     *
     * @param interval at least 1
     * @return the strategy
     */
    public static Strategy createInterval(long interval) {
      return Strategy.interval(interval);
    }

    /**
     * Layers that are named and not excluded.
     *
     * @param checkpointLayers names or globs
     * @param excludeLayers names or globs
     * @return the strategy
     */
    public static Strategy createSelective(Collection<String> checkpointLayers, Collection<String> excludeLayers) {
      return Strategy.selective(checkpointLayers, excludeLayers);
    }

    /**
     * Activations of at least 1 MiB.
     *
     * @return the strategy
     */
    public static Strategy createSizeBased() {
      return createSizeBased(1 << 20, List.of());
    }

    /**
     * Activations of at least so many bytes.
     *
     * @param minActivationSizeBytes at least 1
     * @param excludeLayers names or globs
     * @return the strategy
     */
    public static Strategy createSizeBased(long minActivationSizeBytes, Collection<String> excludeLayers) {
      return Strategy.sizeBased(minActivationSizeBytes, excludeLayers);
    }

    /**
     * Every n-th layer; n shrinks when more than 80% of the memory is in use.
     *
     * @return the strategy
     */
    public static Strategy createMemoryAware() {
      return createMemoryAware(0.8, null);
    }

    /**
     * Every n-th layer; n shrinks while memory is short.
     *
     * @param maxMemoryPercentage share of the memory, in (0, 1]
     * @param memoryTracker whose live bytes count; null: those of the executor or the process
     * @return the strategy
     */
    public static Strategy createMemoryAware(double maxMemoryPercentage, MemoryTracker memoryTracker) {
      return Strategy.memoryAware(maxMemoryPercentage, memoryTracker, 0, null);
    }

    /**
     * Large, rarely used and late layers.
     *
     * @return the strategy
     */
    public static Strategy createSmart() {
      return createSmart(List.of());
    }

    /**
     * Large, rarely used and late layers, some excluded.
     *
     * @param excludeLayers names or globs
     * @return the strategy
     */
    public static Strategy createSmart(Collection<String> excludeLayers) {
      return Strategy.smart(new SmartStrategyOptions(), excludeLayers);
    }
  }

  /** {@link AsyncManager} with the methods that it has elsewhere. */
  public static final class AsyncCheckpointManager extends AsyncManager {
    /**
     * A manager with its threads.
     *
     * @param checkpoints kept alive
     * @param maxQueueSize tasks that have not ended, at most
     */
    public AsyncCheckpointManager(CheckpointManager checkpoints, long maxQueueSize) {
      super(checkpoints, new AsyncManagerOptions().capacity(maxQueueSize));
    }

    /**
     * Saves a model and an optimizer in the background.
     *
     * @param model its groups and keys begin with "model."
     * @param optimizer its groups and keys begin with "optimizer."; null: none
     * @param options what is written beside them
     * @return the task
     */
    public CheckpointTask queueSaveAsync(Stateful model, Stateful optimizer, SaveOptions options) {
      return save(model, optimizer, options);
    }

    /**
     * Asks a task to stop.
     *
     * @param taskId of the task
     * @return true when the task ends cancelled because of this call
     */
    public boolean cancelCheckpoint(long taskId) {
      return cancel(taskId);
    }

    /**
     * Waits for the end of a task.
     *
     * @param taskId of the task
     * @param timeout null: for ever
     * @return how it ended
     */
    public CheckpointTaskResult waitForCompletion(long taskId, Duration timeout) {
      return waitFor(taskId, timeout);
    }

    /**
     * How a task stands.
     *
     * @param taskId of the task
     * @return empty for an id that is unknown or no longer in the history
     */
    public Optional<CheckpointTaskState> getTaskStatus(long taskId) {
      try {
        return Optional.of(task(taskId).state());
      } catch (CkptNotFoundException none) {
        return Optional.empty();
      }
    }

    /**
     * Tasks that have not ended.
     *
     * @return the oldest first
     */
    public List<CheckpointTaskInfo> getActiveTasks() {
      return list(CheckpointTaskList.LIVE);
    }
  }
}
