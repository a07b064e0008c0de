// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

import java.time.Instant;
import java.util.Optional;

/**
 * The counts of one layer in a memory tracker.
 *
 * @param layerId number of the layer, 0 or more
 * @param name name of the layer
 * @param currentBytes bytes of the layer that are live now
 * @param peakBytes highest number of live bytes of this layer alone, since creation or reset of the statistics
 * @param totalAllocatedBytes bytes of all allocations of the layer since creation or reset of the statistics
 * @param totalFreedBytes bytes of the layer freed since creation or reset of the statistics
 * @param liveAllocations number of allocations of the layer that are live now
 * @param allocations number of allocations of the layer since creation or reset of the statistics
 * @param frees number of allocations of the layer freed since creation or reset of the statistics
 * @param largestBytes bytes of the layer's largest single allocation since creation or reset of the statistics
 * @param averageBytes totalAllocatedBytes / allocations, rounded down; 0 when there was none
 * @param lastAllocatedAtNs when the layer last allocated, in nanoseconds on the tracker's clock; 0 when allocations is 0, but a
 *     custom clock can also return 0
 * @param lastFreedAtNs when the layer last freed, in nanoseconds on the tracker's clock; 0 when frees is 0, but a custom clock
 *     can also return 0
 * @param lastAllocatedUtc when the layer last allocated, in UTC; empty: never
 * @param lastFreedUtc when the layer last freed, in UTC; empty: never
 */
public record MemoryLayerStats(
    int layerId, String name, long currentBytes, long peakBytes, long totalAllocatedBytes, long totalFreedBytes,
    long liveAllocations, long allocations, long frees, long largestBytes, long averageBytes, long lastAllocatedAtNs,
    long lastFreedAtNs, Optional<Instant> lastAllocatedUtc, Optional<Instant> lastFreedUtc) {
  static MemoryLayerStats of(ckpt_memory_layer_stats struct) {
    return new MemoryLayerStats(
        struct.getLayer_id(), struct.getName(), struct.getCurrent_bytes(), struct.getPeak_bytes(), struct.getTotal_allocated_bytes(),
        struct.getTotal_freed_bytes(), struct.getLive_allocations(), struct.getAllocations(), struct.getFrees(),
        struct.getLargest_bytes(), struct.getAverage_bytes(), struct.getLast_allocated_at_ns(), struct.getLast_freed_at_ns(),
        NativeObject.instantIfAny(struct.getLast_allocated_utc_ns()), NativeObject.instantIfAny(struct.getLast_freed_utc_ns()));
  }

  static MemoryLayerStats from(NativeObject.Into<ckpt_memory_layer_stats> call) {
    try (ckpt_memory_layer_stats struct = new ckpt_memory_layer_stats()) {
      call.call(struct);
      return of(struct);
    }
  }
}
