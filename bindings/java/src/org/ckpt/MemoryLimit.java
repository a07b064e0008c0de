package org.ckpt;

/**
 * The limit of a tracker's live total.
 *
 * @param bytes a higher total causes an event, and reservations beyond it are refused
 * @param hysteresisBytes how far the total must fall below the limit before the next event
 */
public record MemoryLimit(long bytes, long hysteresisBytes) {}
