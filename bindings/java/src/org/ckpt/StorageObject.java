package org.ckpt;

/**
 * One file of an object store.
 *
 * @param path all of it
 * @param bytes its length
 */
public record StorageObject(String path, long bytes) {}
