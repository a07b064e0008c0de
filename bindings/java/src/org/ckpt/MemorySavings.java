package org.ckpt;

/**
 * The savings compared with storing everything.
 *
 * @param bytes negative when more is live
 * @param fraction share of the bytes that storing everything takes
 */
public record MemorySavings(long bytes, double fraction) {}
