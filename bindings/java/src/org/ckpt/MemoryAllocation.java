package org.ckpt;

/**
 * One live allocation.
 *
 * @param layer whose it is
 * @param allocation its id
 * @param bytes its size
 * @param ageNs nanoseconds since it was recorded
 * @param sequence of its recording: lower is older
 */
public record MemoryAllocation(int layer, long allocation, long bytes, long ageNs, long sequence) {
  static MemoryAllocation of(ckpt_memory_allocation struct) {
    return new MemoryAllocation(
        struct.getLayer(), struct.getAllocation(), struct.getBytes(), struct.getAge_ns(), struct.getSequence());
  }
}
