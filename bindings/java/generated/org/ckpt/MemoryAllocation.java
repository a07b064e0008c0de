// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

import java.time.Duration;

/**
 * One live allocation of a memory tracker.
 *
 * @param layerId number of the layer of the allocation
 * @param allocation id of the allocation, never 0 (64 bits without a sign)
 * @param bytes size of the allocation in bytes
 * @param age time since the allocation was recorded, with the resolution of the tracker's clock
 * @param sequence position of its recording in the order of all allocations and frees: lower is older (64 bits without a sign)
 */
public record MemoryAllocation(
    int layerId, long allocation, long bytes, Duration age, long sequence) {
  static MemoryAllocation of(ckpt_memory_allocation struct) {
    return new MemoryAllocation(
        struct.getLayer_id(), struct.getAllocation(), struct.getBytes(), Duration.ofNanos(struct.getAge_ns()), struct.getSequence());
  }

  static MemoryAllocation from(NativeObject.Into<ckpt_memory_allocation> call) {
    try (ckpt_memory_allocation struct = new ckpt_memory_allocation()) {
      call.call(struct);
      return of(struct);
    }
  }
}
