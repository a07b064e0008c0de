package org.ckpt;

/**
 * Memory for tensors. A buffer that is no longer needed is kept and given out again for the same size. Where a function takes a
 * pool, null is the process's default pool. Synchronised; tensors keep their pool alive.
 */
public final class BufferPool extends NativeObject {
  /** As a retain limit: everything is kept. */
  public static final long NO_LIMIT = -1;

  /** A pool that keeps at most 256 MiB and tells nobody. */
  public BufferPool() {
    this(null, 268435456, "tensor");
  }

  /**
   * A pool.
   *
   * @param tracker learns of every buffer while a tensor uses it; null: none
   * @param retainLimitBytes kept for reuse at most; 0 keeps none, {@link #NO_LIMIT} all
   * @param layerName the tracker counts the pool's buffers under this name
   */
  public BufferPool(MemoryTracker tracker, long retainLimitBytes, String layerName) {
    super(create(tracker, retainLimitBytes, layerName), Native::ckpt_buffer_pool_release);
  }

  private static long create(MemoryTracker tracker, long retainLimitBytes, String layerName) {
    try (ckpt_buffer_pool_options options = new ckpt_buffer_pool_options()) {
      options.setRetain_limit_bytes(retainLimitBytes);
      options.setLayer_name(layerName);
      return number(out -> Native.ckpt_buffer_pool_create(tracker, options, out));
    }
  }

  /**
   * What the pool holds and has done.
   *
   * @return the numbers
   */
  public BufferPoolStats stats() {
    return stats(this);
  }

  /**
   * The same of the process's default pool.
   *
   * @return the numbers
   */
  public static BufferPoolStats defaultPoolStats() {
    return stats(null);
  }

  private static BufferPoolStats stats(BufferPool pool) {
    try (ckpt_buffer_pool_stats struct = new ckpt_buffer_pool_stats()) {
      Native.ckpt_buffer_pool_get_stats(pool, struct);
      return BufferPoolStats.of(struct);
    }
  }

  /**
   * Gives memory back to the system.
   *
   * @param keepBytes at most so many are kept for reuse
   */
  public void trim(long keepBytes) {
    Native.ckpt_buffer_pool_trim(this, keepBytes);
  }

  /**
   * The same for the process's default pool.
   *
   * @param keepBytes at most so many are kept for reuse
   */
  public static void trimDefaultPool(long keepBytes) {
    Native.ckpt_buffer_pool_trim(null, keepBytes);
  }
}
