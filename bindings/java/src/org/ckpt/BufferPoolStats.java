package org.ckpt;

/**
 * What a pool holds now and has done so far.
 *
 * @param liveBytes asked for and not given back
 * @param liveBuffers their number
 * @param retainedBytes kept for reuse
 * @param retainedBuffers their number
 * @param reservedBytes taken from the system
 * @param peakReservedBytes the largest value of reservedBytes since the pool was made
 * @param taken buffers given out since the pool was made
 * @param reused those of them that needed no memory from the system
 */
public record BufferPoolStats(
    long liveBytes, long liveBuffers, long retainedBytes, long retainedBuffers, long reservedBytes, long peakReservedBytes,
    long taken, long reused) {
  static BufferPoolStats of(ckpt_buffer_pool_stats struct) {
    return new BufferPoolStats(
        struct.getLive_bytes(), struct.getLive_buffers(), struct.getRetained_bytes(), struct.getRetained_buffers(),
        struct.getReserved_bytes(), struct.getPeak_reserved_bytes(), struct.getTaken(), struct.getReused());
  }
}
