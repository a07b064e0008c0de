package org.ckpt;

/**
 * The limit of a tracker's live total.
 *
 * @param bytes above it there is an event, and reservations are refused
 * @param hysteresisBytes the next event comes only after the total was so far below the limit
 */
public record MemoryLimit(long bytes, long hysteresisBytes) {}
