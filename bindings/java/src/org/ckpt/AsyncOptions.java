package org.ckpt;

import java.time.Duration;

/** How a manager of background tasks works. */
public final class AsyncOptions {
  private Integer workers;
  private Long capacity;
  private Long history;
  private Long stagingBytes;
  private Long prepareBytes;
  private Long bytesPerSecond;
  private Duration drainTimeout;
  private Integer stagingThreads;
  private Integer nice;
  private AsyncListener listener;

  /** All defaults. */
  public AsyncOptions() {}

  /**
   * Threads that write and load, 1 .. 16; default 1.
   *
   * @param workers the value
   * @return this
   */
  public AsyncOptions workers(int workers) {
    this.workers = workers;
    return this;
  }

  /**
   * Tasks that have not ended, at most; default 10.
   *
   * @param capacity the value
   * @return this
   */
  public AsyncOptions capacity(long capacity) {
    this.capacity = capacity;
    return this;
  }

  /**
   * Tasks that have ended and can still be asked for; default 100.
   *
   * @param history the value
   * @return this
   */
  public AsyncOptions history(long history) {
    this.history = history;
    return this;
  }

  /**
   * Memory for copies, at most, at least 65536; default 1 GiB.
   *
   * @param stagingBytes the value
   * @return this
   */
  public AsyncOptions stagingBytes(long stagingBytes) {
    this.stagingBytes = stagingBytes;
    return this;
  }

  /**
   * Of that, allocated and touched now; default 0.
   *
   * @param prepareBytes the value
   * @return this
   */
  public AsyncOptions prepareBytes(long prepareBytes) {
    this.prepareBytes = prepareBytes;
    return this;
  }

  /**
   * Limit on what is written; 0, the default: none.
   *
   * @param bytesPerSecond the value
   * @return this
   */
  public AsyncOptions bytesPerSecond(long bytesPerSecond) {
    this.bytesPerSecond = bytesPerSecond;
    return this;
  }

  /**
   * How long closing lets tasks go on; default 30 seconds.
   *
   * @param drainTimeout the value
   * @return this
   */
  public AsyncOptions drainTimeout(Duration drainTimeout) {
    this.drainTimeout = drainTimeout;
    return this;
  }

  /**
   * Threads that copy, the calling one included; 0, the default: what this process may use, at most 4.
   *
   * @param stagingThreads the value
   * @return this
   */
  public AsyncOptions stagingThreads(int stagingThreads) {
    this.stagingThreads = stagingThreads;
    return this;
  }

  /**
   * Of the manager's threads, 0, the default, .. 19: the least favourable.
   *
   * @param nice the value
   * @return this
   */
  public AsyncOptions nice(int nice) {
    this.nice = nice;
    return this;
  }

  /**
   * Told of all tasks, pinned as long as the manager; default: nobody.
   *
   * @param listener the value
   * @return this
   */
  public AsyncOptions listener(AsyncListener listener) {
    this.listener = listener;
    return this;
  }

  AsyncListener listener() {
    return listener;
  }

  /** Changes what was set; everything else keeps the library's default. */
  void apply(ckpt_async_manager_options struct) {
    if (workers != null) struct.setWorkers(workers);
    if (capacity != null) struct.setCapacity(capacity);
    if (history != null) struct.setHistory(history);
    if (stagingBytes != null) struct.setStaging_bytes(stagingBytes);
    if (prepareBytes != null) struct.setPrepare_bytes(prepareBytes);
    if (bytesPerSecond != null) struct.setBytes_per_second(bytesPerSecond);
    if (drainTimeout != null) struct.setDrain_timeout_ns(NativeObject.nanoseconds(drainTimeout));
    if (stagingThreads != null) struct.setStaging_threads(stagingThreads);
    if (nice != null) struct.setNice(nice);
    // listener: an argument of the call
  }
}
