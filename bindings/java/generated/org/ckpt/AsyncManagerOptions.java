// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

import java.lang.ref.Reference;
import java.time.Duration;

/** Options for creating a manager of background tasks. */
public final class AsyncManagerOptions {
  private int workers = 1;
  private long capacity = 10L;
  private long history = 100L;
  private long stagingBytes = 1073741824L;
  private long prepareBytes = 0L;
  private long bytesPerSecond = 0L;
  private Duration drainTimeout = Duration.ofNanos(30000000000L);
  private int stagingThreads = 0;
  private int nice = 0;
  private MemoryTracker tracker = null;

  /** All defaults. */
  public AsyncManagerOptions() {}

  /**
   * Number of worker threads that write and load, 1 .. 16. Each uses another thread for checksums. Saves of one checkpoint manager
   * wait for one another, so more than 1 speeds up only loads. Default: 1.
   *
   * @param workers the value
   * @return this
   */
  public AsyncManagerOptions workers(int workers) {
    this.workers = workers;
    return this;
  }

  /** {@return the value set by {@link #workers(int)}} */
  public int workers() {
    return workers;
  }

  /**
   * Maximum number of tasks that have not ended, 1 .. 65536. Default: 10.
   *
   * @param capacity the value
   * @return this
   */
  public AsyncManagerOptions capacity(long capacity) {
    this.capacity = capacity;
    return this;
  }

  /** {@return the value set by {@link #capacity(long)}} */
  public long capacity() {
    return capacity;
  }

  /**
   * Number of ended tasks that can still be queried, 1 .. 1048576. Default: 100.
   *
   * @param history the value
   * @return this
   */
  public AsyncManagerOptions history(long history) {
    this.history = history;
    return this;
  }

  /** {@return the value set by {@link #history(long)}} */
  public long history() {
    return history;
  }

  /**
   * Maximum bytes of memory for copies, &gt;= 65536. Allocated on first use, then kept. A larger state is copied in waves: the save
   * returns when the last wave is copied. Default: 1 GiB.
   *
   * @param stagingBytes the value
   * @return this
   */
  public AsyncManagerOptions stagingBytes(long stagingBytes) {
    this.stagingBytes = stagingBytes;
    return this;
  }

  /** {@return the value set by {@link #stagingBytes(long)}} */
  public long stagingBytes() {
    return stagingBytes;
  }

  /**
   * Bytes of memory for copies that are allocated and touched when the manager is created, so that the first saves are as fast as
   * later ones; 0 .. stagingBytes. Default: 0.
   *
   * @param prepareBytes the value
   * @return this
   */
  public AsyncManagerOptions prepareBytes(long prepareBytes) {
    this.prepareBytes = prepareBytes;
    return this;
  }

  /** {@return the value set by {@link #prepareBytes(long)}} */
  public long prepareBytes() {
    return prepareBytes;
  }

  /**
   * Limit of the write rate, in bytes per second; 0: none. Default: 0.
   *
   * @param bytesPerSecond the value
   * @return this
   */
  public AsyncManagerOptions bytesPerSecond(long bytesPerSecond) {
    this.bytesPerSecond = bytesPerSecond;
    return this;
  }

  /** {@return the value set by {@link #bytesPerSecond(long)}} */
  public long bytesPerSecond() {
    return bytesPerSecond;
  }

  /**
   * Time for which the release of the manager waits for tasks; null: forever. Default: 30 s.
   *
   * @param drainTimeout the value
   * @return this
   */
  public AsyncManagerOptions drainTimeout(Duration drainTimeout) {
    this.drainTimeout = drainTimeout;
    return this;
  }

  /** {@return the value set by {@link #drainTimeout(Duration)}} */
  public Duration drainTimeout() {
    return drainTimeout;
  }

  /**
   * Number of threads that copy, the calling one included, 1 .. 1024; 0: the threads that this process may use, at most 4. Default:
   * 0.
   *
   * @param stagingThreads the value
   * @return this
   */
  public AsyncManagerOptions stagingThreads(int stagingThreads) {
    this.stagingThreads = stagingThreads;
    return this;
  }

  /** {@return the value set by {@link #stagingThreads(int)}} */
  public int stagingThreads() {
    return stagingThreads;
  }

  /**
   * Niceness of the manager's threads, above that of the process: 0 .. 19, where 19 is the least favourable. Default: 0.
   *
   * @param nice the value
   * @return this
   */
  public AsyncManagerOptions nice(int nice) {
    this.nice = nice;
    return this;
  }

  /** {@return the value set by {@link #nice(int)}} */
  public int nice() {
    return nice;
  }

  /**
   * Tracker that counts the memory for copies, as allocations of the layer "checkpoint staging" with the lifetime of the manager;
   * kept alive; null: none.
   *
   * @param tracker the value
   * @return this
   */
  public AsyncManagerOptions tracker(MemoryTracker tracker) {
    this.tracker = tracker;
    return this;
  }

  /** {@return the value set by {@link #tracker(MemoryTracker)}} */
  public MemoryTracker tracker() {
    return tracker;
  }

  /** Calls with these values, and keeps them alive during the call. */
  void with(NativeObject.Into<ckpt_async_manager_options> call) {
    try (ckpt_async_manager_options struct = new ckpt_async_manager_options()) {
      struct.setWorkers(workers);
      struct.setCapacity(capacity);
      struct.setHistory(history);
      struct.setStaging_bytes(stagingBytes);
      struct.setPrepare_bytes(prepareBytes);
      struct.setBytes_per_second(bytesPerSecond);
      struct.setDrain_timeout_ns(NativeObject.nanoseconds(drainTimeout));
      struct.setStaging_threads(stagingThreads);
      struct.setNice(nice);
      if (tracker != null) struct.setTracker(tracker);
      call.call(struct);
    } finally {
      Reference.reachabilityFence(this);
    }
  }
}
