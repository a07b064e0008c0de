package org.ckpt;

/**
 * What a strategy did since it was made or reset. Failed questions are not counted.
 *
 * @param asked questions
 * @param chosen answered with yes
 * @param chosenBytes of the activations that were answered with yes
 */
public record StrategyCounters(long asked, long chosen, long chosenBytes) {
  static StrategyCounters of(ckpt_strategy_counters struct) {
    return new StrategyCounters(
        struct.getAsked(), struct.getChosen(), struct.getChosen_bytes());
  }
}
