package org.ckpt;

/**
 * One tensor of a reader.
 *
 * @param index 0 .. count-1
 * @param group of the checkpoint; "" for files without groups
 * @param name may be empty
 * @param spec type and shape
 * @param bytes of it
 * @param offset of its first byte in the file
 */
public record TensorInfo(long index, String group, String name, TensorSpec spec, long bytes, long offset) {}
