// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

import java.time.Instant;

/**
 * The totals of a memory tracker at one moment.
 *
 * @param layerCount number of layers
 * @param currentBytes bytes live now
 * @param peakBytes highest live total, in bytes, since creation or reset of the statistics
 * @param totalAllocatedBytes bytes of all allocations since creation or reset of the statistics
 * @param totalFreedBytes bytes freed since creation or reset of the statistics: totalAllocatedBytes - currentBytes
 * @param liveAllocations number of allocations live now
 * @param allocations number of allocations since creation or reset of the statistics
 * @param frees allocations - liveAllocations: a free by layer counts each allocation that it frees
 * @param averageBytes currentBytes / liveAllocations, rounded down; 0 when none is live
 * @param notFound recording calls refused for an unknown layer or allocation, double frees included
 * @param refused reservations refused by the limit
 * @param handlerFailures event handlers that failed
 * @param takenAtNs time of the snapshot, in nanoseconds on the tracker's clock
 * @param sequence number of allocations and frees since the tracker was created; a reset does not change it (64 bits without a
 *     sign)
 * @param takenUtc time of the snapshot, in UTC
 */
public record MemoryStats(
    long layerCount, long currentBytes, long peakBytes, long totalAllocatedBytes, long totalFreedBytes, long liveAllocations,
    long allocations, long frees, long averageBytes, long notFound, long refused, long handlerFailures, long takenAtNs,
    long sequence, Instant takenUtc) {
  static MemoryStats of(ckpt_memory_stats struct) {
    return new MemoryStats(
        struct.getLayer_count(), struct.getCurrent_bytes(), struct.getPeak_bytes(), struct.getTotal_allocated_bytes(),
        struct.getTotal_freed_bytes(), struct.getLive_allocations(), struct.getAllocations(), struct.getFrees(),
        struct.getAverage_bytes(), struct.getNot_found(), struct.getRefused(), struct.getHandler_failures(), struct.getTaken_at_ns(),
        struct.getSequence(), NativeObject.instant(struct.getTaken_utc_ns()));
  }

  static MemoryStats from(NativeObject.Into<ckpt_memory_stats> call) {
    try (ckpt_memory_stats struct = new ckpt_memory_stats()) {
      call.call(struct);
      return of(struct);
    }
  }
}
