package org.ckpt.compat;

import java.util.Collection;
import java.util.List;
import org.ckpt.MemoryTracker;
import org.ckpt.Strategy;

/** Creates strategies by name, with their default values. */
public final class CheckpointStrategyFactory {
  private CheckpointStrategyFactory() {}

  /**
   * Creates the strategy that a config describes.
   *
   * @param config the kind and its values
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
   * Checkpoints every second layer.
   *
   * @return the strategy
   */
  public static Strategy createInterval() {
    return createInterval(2);
  }

  /**
   * Checkpoints every n-th layer.
   *
   * @param interval at least 1
   * @return the strategy
   */
  public static Strategy createInterval(long interval) {
    return Strategy.interval(interval);
  }

  /**
   * Checkpoints layers that are named and not excluded.
   *
   * @param checkpointLayers names or globs
   * @param excludeLayers names or globs
   * @return the strategy
   */
  public static Strategy createSelective(Collection<String> checkpointLayers, Collection<String> excludeLayers) {
    return Strategy.selective(checkpointLayers, excludeLayers);
  }

  /**
   * Checkpoints activations of at least 1 MiB.
   *
   * @return the strategy
   */
  public static Strategy createSizeBased() {
    return createSizeBased(1 << 20, List.of());
  }

  /**
   * Checkpoints activations of at least {@code minActivationSizeBytes}.
   *
   * @param minActivationSizeBytes at least 1
   * @param excludeLayers names or globs
   * @return the strategy
   */
  public static Strategy createSizeBased(long minActivationSizeBytes, Collection<String> excludeLayers) {
    return Strategy.sizeBased(minActivationSizeBytes, excludeLayers);
  }

  /**
   * Checkpoints every n-th layer; n decreases when more than 80% of the memory is in use.
   *
   * @return the strategy
   */
  public static Strategy createMemoryAware() {
    return createMemoryAware(0.8, null);
  }

  /**
   * Checkpoints every n-th layer; n decreases while memory is short.
   *
   * @param maxMemoryPercentage share of the memory, in (0, 1]
   * @param memoryTracker the tracker of the live bytes; null: the executor's, else the process's
   * @return the strategy
   */
  public static Strategy createMemoryAware(double maxMemoryPercentage, MemoryTracker memoryTracker) {
    return Strategy.memoryAware(maxMemoryPercentage, memoryTracker, 0, null);
  }

  /**
   * Checkpoints large, rarely used and late layers.
   *
   * @return the strategy
   */
  public static Strategy createSmart() {
    return createSmart(List.of());
  }

  /**
   * Checkpoints large, rarely used and late layers, except excluded ones.
   *
   * @param excludeLayers names or globs
   * @return the strategy
   */
  public static Strategy createSmart(Collection<String> excludeLayers) {
    return Strategy.smart(excludeLayers);
  }
}
