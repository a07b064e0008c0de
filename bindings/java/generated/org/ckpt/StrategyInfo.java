// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/**
 * The configuration of a strategy. Numbers that do not apply to its kind are 0.
 *
 * @param hasTracker for memory-aware: true when it was created with a tracker, else false
 * @param kind kind of strategy: "interval", "selective", ..., "custom". A strategy of a registered kind has the kind of the
 *     strategy that its factory created
 * @param interval for interval: n, where every n-th layer is chosen; for memory-aware: the current n
 * @param thresholdBytes for size: activations of at least this many bytes are chosen
 * @param maxShare for memory-aware: share of total memory above which more layers are chosen
 * @param totalBytes for memory-aware: total memory in bytes, as set, or the memory that the process may use
 * @param largeFactor for smart: a layer with more than this many times the mean bytes is chosen
 * @param rareAccesses for smart: a layer accessed fewer times than this is chosen
 * @param lateShare for smart: a layer with an index above this share of the number of known layers is chosen
 * @param namesCount for selective: number of names and globs of chosen layers
 * @param excludedCount for selective, size and smart: number of names and globs of excluded layers
 * @param rulesCount for first: number of rules
 * @param childrenCount for any, all, not and first: number of children
 * @param hasClock for memory-aware: true when it was created with a clock, else false
 * @param hasTotal for memory-aware: true when totalBytes was set, false when it was determined from the system
 */
public record StrategyInfo(
    boolean hasTracker, String kind, long interval, long thresholdBytes, double maxShare, long totalBytes, double largeFactor,
    long rareAccesses, double lateShare, long namesCount, long excludedCount, long rulesCount, long childrenCount, boolean hasClock,
    boolean hasTotal) {
  static StrategyInfo of(ckpt_strategy_info struct) {
    return new StrategyInfo(
        struct.getHas_tracker() != 0, struct.getKind(), struct.getInterval(), struct.getThreshold_bytes(), struct.getMax_share(),
        struct.getTotal_bytes(), struct.getLarge_factor(), struct.getRare_accesses(), struct.getLate_share(), struct.getNames_count(),
        struct.getExcluded_count(), struct.getRules_count(), struct.getChildren_count(), struct.getHas_clock() != 0,
        struct.getHas_total() != 0);
  }

  static StrategyInfo from(NativeObject.Into<ckpt_strategy_info> call) {
    try (ckpt_strategy_info struct = new ckpt_strategy_info()) {
      call.call(struct);
      return of(struct);
    }
  }
}
