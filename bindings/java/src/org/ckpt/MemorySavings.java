package org.ckpt;

/**
 * What is saved against storing everything.
 *
 * @param bytes negative when more is live
 * @param fraction of what storing everything takes
 */
public record MemorySavings(long bytes, double fraction) {}
