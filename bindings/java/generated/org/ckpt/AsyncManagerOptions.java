// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

import java.lang.ref.Reference;
import java.time.Duration;

/** How a manager of background tasks is made. */
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
   * Threads that write and load, 1 .. 16. Each has another one for checksums. Saves of one checkpoint wait for one another, so more
   * than 1 helps only loads. Default: 1.
   *
   * @param workers the value
   * @return this
   */
  public AsyncManagerOptions workers(int workers) {
    this.workers = workers;
    return this;
  }

  /** {@return what {@link #workers(int)} set} */
  public int workers() {
    return workers;
  }

  /**
   * Tasks that have not ended, at most; 1 .. 65536. Default: 10.
   *
   * @param capacity the value
   * @return this
   */
  public AsyncManagerOptions capacity(long capacity) {
    this.capacity = capacity;
    return this;
  }

  /** {@return what {@link #capacity(long)} set} */
  public long capacity() {
    return capacity;
  }

  /**
   * Tasks that have ended and can still be asked for, 1 .. 1048576. Default: 100.
   *
   * @param history the value
   * @return this
   */
  public AsyncManagerOptions history(long history) {
    this.history = history;
    return this;
  }

  /** {@return what {@link #history(long)} set} */
  public long history() {
    return history;
  }

  /**
   * Bytes of memory for copies, at most; at least 65536. Allocated when it is first needed, then kept. A state that is larger is
   * copied in waves: the save returns when the last wave was copied. Default: 1 GiB.
   *
   * @param stagingBytes the value
   * @return this
   */
  public AsyncManagerOptions stagingBytes(long stagingBytes) {
    this.stagingBytes = stagingBytes;
    return this;
  }

  /** {@return what {@link #stagingBytes(long)} set} */
  public long stagingBytes() {
    return stagingBytes;
  }

  /**
   * Bytes of the memory for copies that are allocated and touched at once, so that the first saves are as fast as the later ones; 0
   * .. stagingBytes. Default: 0.
   *
   * @param prepareBytes the value
   * @return this
   */
  public AsyncManagerOptions prepareBytes(long prepareBytes) {
    this.prepareBytes = prepareBytes;
    return this;
  }

  /** {@return what {@link #prepareBytes(long)} set} */
  public long prepareBytes() {
    return prepareBytes;
  }

  /**
   * Limit on what is written, in bytes per second; 0: none. Default: 0.
   *
   * @param bytesPerSecond the value
   * @return this
   */
  public AsyncManagerOptions bytesPerSecond(long bytesPerSecond) {
    this.bytesPerSecond = bytesPerSecond;
    return this;
  }

  /** {@return what {@link #bytesPerSecond(long)} set} */
  public long bytesPerSecond() {
    return bytesPerSecond;
  }

  /**
   * Time for which the release of the manager lets tasks go on; null: for ever. Default: 30 s.
   *
   * @param drainTimeout the value
   * @return this
   */
  public AsyncManagerOptions drainTimeout(Duration drainTimeout) {
    this.drainTimeout = drainTimeout;
    return this;
  }

  /** {@return what {@link #drainTimeout(Duration)} set} */
  public Duration drainTimeout() {
    return drainTimeout;
  }

  /**
   * Threads that copy, the calling one included, 1 .. 1024; 0: what this process may use, at most 4. Default: 0.
   *
   * @param stagingThreads the value
   * @return this
   */
  public AsyncManagerOptions stagingThreads(int stagingThreads) {
    this.stagingThreads = stagingThreads;
    return this;
  }

  /** {@return what {@link #stagingThreads(int)} set} */
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

  /** {@return what {@link #nice(int)} set} */
  public int nice() {
    return nice;
  }

  /**
   * Counts the memory for copies, as allocations of the layer "checkpoint staging" that last as long as the manager; kept alive;
   * null: no tracker counts it.
   *
   * @param tracker the value
   * @return this
   */
  public AsyncManagerOptions tracker(MemoryTracker tracker) {
    this.tracker = tracker;
    return this;
  }

  /** {@return what {@link #tracker(MemoryTracker)} set} */
  public MemoryTracker tracker() {
    return tracker;
  }

  /** Calls with these values, which stay alive meanwhile. */
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
