package org.ckpt;

/**
 * A tensor with its name.
 *
 * @param name its name
 * @param tensor to be closed separately
 */
public record NamedTensor(String name, Tensor tensor) {}
