// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

import java.util.function.Consumer;

/** The methods of {@link WorkerPool} that are one call of the C API. */
abstract class WorkerPoolMethods extends NativeObject {
  WorkerPoolMethods(long address) {
    super(address);
  }

  WorkerPoolMethods(long address, Consumer<NativeObject> release) {
    super(address, release);
  }

  /** Returns the number of threads of the pool, the caller's included. */
  public int threadCount() {
    return whole(out -> Native.ckpt_worker_pool_get_thread_count(this, out));
  }
}
