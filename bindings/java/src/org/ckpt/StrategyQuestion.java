package org.ckpt;

/**
 * What a strategy of your own is asked.
 *
 * @param layerName not empty
 * @param activation its type and shape
 * @param bytes of the activation
 * @param layerIndex at least 0
 */
public record StrategyQuestion(String layerName, TensorSpec activation, long bytes, long layerIndex) {}
