// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/**
 * Current contents and counters of a buffer pool.
 *
 * @param liveBytes bytes that tensors use now, as the tracker counts them
 * @param liveBuffers number of buffers that tensors use now; tensors without bytes need none
 * @param retainedBytes bytes kept for reuse
 * @param retainedBuffers number of buffers kept for reuse
 * @param reservedBytes bytes allocated from the system: live buffers, each rounded up to 64 bytes, and retained ones
 * @param peakReservedBytes the largest value of reservedBytes since the pool was created
 * @param taken number of buffers that tensors took since the pool was created
 * @param reused number of those buffers that were reused, without allocating memory from the system
 */
public record BufferPoolStats(
    long liveBytes, long liveBuffers, long retainedBytes, long retainedBuffers, long reservedBytes, long peakReservedBytes,
    long taken, long reused) {
  static BufferPoolStats of(ckpt_buffer_pool_stats struct) {
    return new BufferPoolStats(
        struct.getLive_bytes(), struct.getLive_buffers(), struct.getRetained_bytes(), struct.getRetained_buffers(),
        struct.getReserved_bytes(), struct.getPeak_reserved_bytes(), struct.getTaken(), struct.getReused());
  }

  static BufferPoolStats from(NativeObject.Into<ckpt_buffer_pool_stats> call) {
    try (ckpt_buffer_pool_stats struct = new ckpt_buffer_pool_stats()) {
      call.call(struct);
      return of(struct);
    }
  }
}
