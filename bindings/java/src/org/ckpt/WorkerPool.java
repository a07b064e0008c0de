package org.ckpt;

import java.util.function.LongConsumer;

/** A fixed set of threads that run numbered parts. Synchronized. */
public final class WorkerPool extends WorkerPoolMethods {
  /**
   * Starts the threads.
   *
   * @param threads 1 .. 1024, the calling one included; 0: {@link Ckpt#availableThreads}
   */
  public WorkerPool(int threads) {
    super(number(out -> Native.ckpt_worker_pool_create(threads, out)));
  }

  private WorkerPool(NativeObject lent) {
    super(lent);
  }

  /** Wraps a pool that a callback borrows; null for address 0. */
  static WorkerPool lent(long address) {
    return address == 0 ? null : new WorkerPool(new LentObject(address));
  }

  /**
   * Calls work for every part 0 .. parts-1, on several threads at once, and returns when all are done.
   *
   * @param parts at least 0
   * @param work takes the number of a part
   * @throws CkptCallbackException when a part threw; parts not begun are skipped
   */
  public void run(long parts, LongConsumer work) {
    try (NativePartWork called = new NativePartWork() {
      @Override
      public void run(long part) {
        work.accept(part);
      }
    }) {
      Native.ckpt_worker_pool_run(this, parts, called);
    }
  }
}
