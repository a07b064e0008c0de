package org.ckpt;

import java.util.Collection;
import java.util.List;

/** The usual strategies by name, with their usual values. */
public final class CheckpointStrategyFactory {
  private CheckpointStrategyFactory() {}

  /**
   * Every second layer.
   *
   * @return the strategy
   */
  public static Strategy createInterval() {
    return Strategy.interval(2);
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
   * Layers in names.
   *
   * @param names names or globs
   * @return the strategy
   */
  public static Strategy createSelective(String... names) {
    return Strategy.selective(List.of(names), List.of());
  }

  /**
   * Layers in names and not in excluded.
   *
   * @param names names or globs
   * @param excluded names or globs
   * @return the strategy
   */
  public static Strategy createSelective(Collection<String> names, Collection<String> excluded) {
    return Strategy.selective(names, excluded);
  }

  /**
   * Activations of at least 1 MiB.
   *
   * @return the strategy
   */
  public static Strategy createSizeBased() {
    return Strategy.sizeBased(1 << 20, List.of());
  }

  /**
   * Activations of at least so many bytes.
   *
   * @param thresholdBytes at least 1
   * @return the strategy
   */
  public static Strategy createSizeBased(long thresholdBytes) {
    return Strategy.sizeBased(thresholdBytes, List.of());
  }

  /**
   * Every n-th layer; n shrinks when more than 80% of the memory is in use.
   *
   * @return the strategy
   */
  public static Strategy createMemoryAware() {
    return Strategy.memoryAware(0.8, null, 0, null);
  }

  /**
   * Every n-th layer; n shrinks while memory is short.
   *
   * @param maxShare of the memory, in (0, 1]
   * @return the strategy
   */
  public static Strategy createMemoryAware(double maxShare) {
    return Strategy.memoryAware(maxShare, null, 0, null);
  }

  /**
   * Large, rarely used and late layers.
   *
   * @param excluded names or globs
   * @return the strategy
   */
  public static Strategy createSmart(String... excluded) {
    return Strategy.smart(List.of(excluded));
  }

  /**
   * Any kind from one set of fields.
   *
   * @param config the fields
   * @return the strategy
   */
  public static Strategy createStrategy(StrategyConfig config) {
    return Strategy.fromConfig(config);
  }
}
