package org.ckpt;

/**
 * One transition of a tracker, with the values that held right after it.
 *
 * @param kind what happened
 * @param sequence order of transitions; events of one transition share it and come in the order of their kinds
 * @param allocation its id; 0 when a limit was set below the live total
 * @param bytes of the allocation
 * @param currentBytes live then
 * @param peakBytes highest live total until then
 * @param limitBytes 0: no limit
 * @param timeNs when it happened, in nanoseconds
 * @param layerName "" when a limit was set below the live total
 * @param layer its number; -1 in that case
 */
public record MemoryEvent(
    MemoryEventKind kind, long sequence, long allocation, long bytes, long currentBytes, long peakBytes, long limitBytes,
    long timeNs, String layerName, int layer) {}
