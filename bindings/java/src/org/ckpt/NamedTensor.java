package org.ckpt;

/**
 * A tensor with its name.
 *
 * @param name of it
 * @param tensor to be closed by itself
 */
public record NamedTensor(String name, Tensor tensor) {}
