// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/**
 * A question to a strategy about one layer.
 *
 * @param spec element type and shape of the layer's activation
 * @param layerName name of the layer: UTF-8, not empty
 * @param bytes size of the activation in bytes
 * @param layerIndex index of the layer in its chain, from 0
 */
public record StrategyQuestion(
    TensorSpec spec, String layerName, long bytes, long layerIndex) {
}
