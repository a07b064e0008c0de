// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/** The methods of {@link WorkerPool} that are one call of the C API. */
abstract class WorkerPoolMethods extends NativeObject {
  WorkerPoolMethods(long address) {
    super(address, Native::ckpt_worker_pool_release);
  }

  /** A reference that the library lends: not released. */
  WorkerPoolMethods(NativeObject lent) {
    super(lent.address());
  }

  /** Returns the number of threads of the pool, the caller's included. */
  public int threadCount() {
    return whole(out -> Native.ckpt_worker_pool_get_thread_count(this, out));
  }
}
