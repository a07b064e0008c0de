package org.ckpt;

/**
 * One name in a directory of a custom storage.
 *
 * @param name without the path before it
 * @param isDirectory false: a file
 */
public record StorageEntry(String name, boolean isDirectory) {}
