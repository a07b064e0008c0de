package org.ckpt;

/**
 * Reuses the memory of tensors. A buffer that is no longer needed is kept and used again for the same size. Where a function takes
 * a pool, null is the process's default pool. Synchronized; tensors keep their pool alive.
 */
public final class BufferPool extends NativeObject {
  /** Creates a pool with all defaults and no tracker. */
  public BufferPool() {
    this(null, new BufferPoolOptions());
  }

  /**
   * Creates a pool.
   *
   * @param tracker counts every buffer while a tensor uses it; null: none
   * @param options the options of the pool
   */
  public BufferPool(MemoryTracker tracker, BufferPoolOptions options) {
    super(
        number(out -> options.with(struct -> Native.ckpt_buffer_pool_create(tracker, struct, out))),
        Native::ckpt_buffer_pool_release);
  }

  /** {@return the statistics of the pool} */
  public BufferPoolStats stats() {
    return stats(this);
  }

  /** {@return the statistics of the process's default pool} */
  public static BufferPoolStats defaultPoolStats() {
    return stats(null);
  }

  private static BufferPoolStats stats(BufferPool pool) {
    return BufferPoolStats.from(struct -> Native.ckpt_buffer_pool_get_stats(pool, struct));
  }

  /**
   * Releases memory to the system.
   *
   * @param keepBytes the most bytes to keep for reuse
   */
  public void trim(long keepBytes) {
    Native.ckpt_buffer_pool_trim(this, keepBytes);
  }

  /**
   * Releases memory of the process's default pool to the system.
   *
   * @param keepBytes the most bytes to keep for reuse
   */
  public static void trimDefaultPool(long keepBytes) {
    Native.ckpt_buffer_pool_trim(null, keepBytes);
  }
}
