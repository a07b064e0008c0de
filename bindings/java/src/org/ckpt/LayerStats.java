package org.ckpt;

/**
 * What one layer holds.
 *
 * @param layer its number
 * @param name its name
 * @param currentBytes live now
 * @param peakBytes of this layer alone
 * @param totalAllocatedBytes of all its allocations
 * @param totalFreedBytes of those that were freed
 * @param liveAllocations that are not freed
 * @param allocations made
 * @param frees freed
 * @param largestBytes largest single allocation
 * @param averageBytes totalAllocatedBytes / allocations, rounded down
 * @param lastAllocatedNs time of the last allocation in nanoseconds; 0: never
 * @param lastFreedNs time of the last free in nanoseconds; 0: never
 */
public record LayerStats(
    int layer, String name, long currentBytes, long peakBytes, long totalAllocatedBytes, long totalFreedBytes,
    long liveAllocations, long allocations, long frees, long largestBytes, long averageBytes, long lastAllocatedNs,
    long lastFreedNs) {
  static LayerStats of(ckpt_memory_layer_stats struct) {
    return new LayerStats(
        struct.getLayer(), struct.getName(), struct.getCurrent_bytes(), struct.getPeak_bytes(),
        struct.getTotal_allocated_bytes(), struct.getTotal_freed_bytes(), struct.getLive_allocations(), struct.getAllocations(),
        struct.getFrees(), struct.getLargest_bytes(), struct.getAverage_bytes(), struct.getLast_allocated_ns(),
        struct.getLast_freed_ns());
  }
}
