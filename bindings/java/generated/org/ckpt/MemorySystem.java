// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/**
 * Physical memory available to this process.
 *
 * @param totalBytes physical memory of the machine in bytes, at most the limit of the process's control group
 * @param availableBytes bytes that can be allocated now without swapping, also within the control group's limit
 * @param machineBytes physical memory of the machine in bytes
 * @param limitBytes smallest control group limit in bytes that applies to this process; 0: none
 */
public record MemorySystem(
    long totalBytes, long availableBytes, long machineBytes, long limitBytes) {
  static MemorySystem of(ckpt_memory_system struct) {
    return new MemorySystem(
        struct.getTotal_bytes(), struct.getAvailable_bytes(), struct.getMachine_bytes(), struct.getLimit_bytes());
  }

  static MemorySystem from(NativeObject.Into<ckpt_memory_system> call) {
    try (ckpt_memory_system struct = new ckpt_memory_system()) {
      call.call(struct);
      return of(struct);
    }
  }
}
