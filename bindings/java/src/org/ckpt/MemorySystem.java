package org.ckpt;

/**
 * Physical memory that this process can have, control groups considered.
 *
 * @param totalBytes of the machine, at most the control group's limit
 * @param availableBytes can be had now without swapping
 * @param machineBytes of the machine
 * @param limitBytes smallest control group limit that holds; 0: none
 */
public record MemorySystem(long totalBytes, long availableBytes, long machineBytes, long limitBytes) {
  static MemorySystem of(ckpt_memory_system struct) {
    return new MemorySystem(
        struct.getTotal_bytes(), struct.getAvailable_bytes(), struct.getMachine_bytes(), struct.getLimit_bytes());
  }
}
