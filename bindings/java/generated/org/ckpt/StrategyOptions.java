// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

import java.lang.ref.Reference;

/** Objects and values that a text refers to. Every one that is set must be used by the text. */
public final class StrategyOptions {
  private MemoryTracker tracker = null;
  private Clock clock = null;
  private long totalBytes = 0L;

  /** All defaults. */
  public StrategyOptions() {}

  /**
   * For memory-aware: tracker of the live bytes, in a step in addition to those of the executors; kept alive. Null: live bytes of
   * the executors, or outside of steps the resident bytes of the process.
   *
   * @param tracker the value
   * @return this
   */
  public StrategyOptions tracker(MemoryTracker tracker) {
    this.tracker = tracker;
    return this;
  }

  /** {@return the value set by {@link #tracker(MemoryTracker)}} */
  public MemoryTracker tracker() {
    return tracker;
  }

  /**
   * For memory-aware: clock for its adjustments; kept alive; null: the monotonic clock.
   *
   * @param clock the value
   * @return this
   */
  public StrategyOptions clock(Clock clock) {
    this.clock = clock;
    return this;
  }

  /** {@return the value set by {@link #clock(Clock)}} */
  public Clock clock() {
    return clock;
  }

  /**
   * For memory-aware: total memory in bytes, &gt;= 0, if the text does not specify it; 0: the memory that the process may use.
   * Default: 0.
   *
   * @param totalBytes the value
   * @return this
   */
  public StrategyOptions totalBytes(long totalBytes) {
    this.totalBytes = totalBytes;
    return this;
  }

  /** {@return the value set by {@link #totalBytes(long)}} */
  public long totalBytes() {
    return totalBytes;
  }

  /** Calls with these values, and keeps them alive during the call. */
  void with(NativeObject.Into<ckpt_strategy_options> call) {
    try (ckpt_strategy_options struct = new ckpt_strategy_options()) {
      if (tracker != null) struct.setTracker(tracker);
      if (clock != null) struct.setClock(clock);
      struct.setTotal_bytes(totalBytes);
      call.call(struct);
    } finally {
      Reference.reachabilityFence(this);
    }
  }
}
