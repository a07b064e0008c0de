// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/**
 * Counters of a strategy since it was created or reset. Failed questions are not counted.
 *
 * @param askedLayers number of layers about which it was asked
 * @param chosenLayers number of layers that were answered with yes
 * @param chosenBytes bytes of the activations of these layers; at most 2^63 - 1
 */
public record StrategyCounters(
    long askedLayers, long chosenLayers, long chosenBytes) {
  static StrategyCounters of(ckpt_strategy_counters struct) {
    return new StrategyCounters(
        struct.getAsked_layers(), struct.getChosen_layers(), struct.getChosen_bytes());
  }

  static StrategyCounters from(NativeObject.Into<ckpt_strategy_counters> call) {
    try (ckpt_strategy_counters struct = new ckpt_strategy_counters()) {
      call.call(struct);
      return of(struct);
    }
  }
}
