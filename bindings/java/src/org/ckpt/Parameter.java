package org.ckpt;

/**
 * A parameter of a chain with its gradient; both share the chain's memory.
 *
 * @param name "layer.parameter"
 * @param value to be closed separately
 * @param gradient to be closed separately
 */
public record Parameter(String name, Tensor value, Tensor gradient) {}
