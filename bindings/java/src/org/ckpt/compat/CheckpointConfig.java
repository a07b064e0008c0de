package org.ckpt.compat;

import java.util.Collection;
import java.util.List;

/**
 * The values of all kinds of strategies; each kind reads its own.
 *
 * @param strategy the kind
 * @param interval for INTERVAL: every n-th layer
 * @param checkpointLayers for SELECTIVE: names or globs
 * @param excludeLayers for SELECTIVE, SIZE_BASED and SMART: names or globs
 * @param minActivationSizeBytes for SIZE_BASED: the smallest size of an activation
 * @param maxMemoryPercentage for MEMORY_AWARE: share of the memory, in (0, 1]
 */
public record CheckpointConfig(
    CheckpointStrategy strategy, long interval, Collection<String> checkpointLayers, Collection<String> excludeLayers,
    long minActivationSizeBytes, double maxMemoryPercentage) {
  /**
   * Returns the default values of a kind.
   *
   * @param strategy the kind
   */
  public CheckpointConfig(CheckpointStrategy strategy) {
    this(strategy, 2, List.of(), List.of(), 1 << 20, 0.8);
  }
}
