package org.ckpt;

/**
 * The totals of a tracker at one moment.
 *
 * @param layerCount layers that were ever named
 * @param currentBytes live now
 * @param peakBytes highest currentBytes since the start or the last reset
 * @param totalAllocatedBytes of all allocations since then
 * @param totalFreedBytes totalAllocatedBytes - currentBytes
 * @param liveAllocations allocations that are not freed
 * @param allocations made since then
 * @param frees allocations - liveAllocations
 * @param averageBytes currentBytes / liveAllocations, rounded down; 0 when none is live
 * @param notFound recording calls refused for an unknown layer or allocation, double frees included
 * @param refused reservations refused by the limit
 * @param handlerFailures event handlers that threw
 * @param timeNs when this was true, in nanoseconds
 * @param sequence transitions since the tracker was made; not reset
 */
public record MemoryStats(
    int layerCount, long currentBytes, long peakBytes, long totalAllocatedBytes, long totalFreedBytes, long liveAllocations,
    long allocations, long frees, long averageBytes, long notFound, long refused, long handlerFailures, long timeNs,
        long sequence) {
  static MemoryStats of(ckpt_memory_stats struct) {
    return new MemoryStats(
        struct.getLayer_count(), struct.getCurrent_bytes(), struct.getPeak_bytes(), struct.getTotal_allocated_bytes(),
        struct.getTotal_freed_bytes(), struct.getLive_allocations(), struct.getAllocations(), struct.getFrees(),
        struct.getAverage_bytes(), struct.getNot_found(), struct.getRefused(), struct.getHandler_failures(), struct.getTime_ns(),
        struct.getSequence());
  }
}
