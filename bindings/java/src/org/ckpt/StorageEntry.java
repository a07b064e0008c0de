package org.ckpt;

/**
 * One name in a directory of a custom storage.
 *
 * @param name the name without its directory
 * @param isDirectory whether it is a directory; false: a file
 */
public record StorageEntry(String name, boolean isDirectory) {}
