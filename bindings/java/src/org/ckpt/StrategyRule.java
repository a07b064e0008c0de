package org.ckpt;

/**
 * Assigns a strategy to layers, for {@link Strategy#firstOf}.
 *
 * @param layers a name, a glob, or "#5", "#2..7" or "#8.." for layer indices
 * @param strategy the strategy for these layers
 */
public record StrategyRule(String layers, CheckpointStrategy strategy) {}
