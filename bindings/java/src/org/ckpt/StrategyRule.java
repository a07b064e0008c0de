package org.ckpt;

/**
 * Which strategy to ask about which layers, for {@link Strategy#firstOf}.
 *
 * @param layers a name, a glob, or "#5", "#2..7" or "#8.." for layer indices
 * @param strategy asked about these
 */
public record StrategyRule(String layers, CheckpointStrategy strategy) {}
