package org.ckpt;

/**
 * One file of an object store.
 *
 * @param path the whole path
 * @param bytes length of the file
 */
public record StorageObject(String path, long bytes) {}
