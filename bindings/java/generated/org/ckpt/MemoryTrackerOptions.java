// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

import java.lang.ref.Reference;

/** Options for creating a memory tracker. */
public final class MemoryTrackerOptions {
  private Clock clock = null;
  private long peakGranularityBytes = 1L;

  /** All defaults. */
  public MemoryTrackerOptions() {}

  /**
   * Clock for the times of allocations and frees; null: the system's coarse monotonic clock. The tracker keeps it alive.
   *
   * @param clock the value
   * @return this
   */
  public MemoryTrackerOptions clock(Clock clock) {
    this.clock = clock;
    return this;
  }

  /** {@return the value set by {@link #clock(Clock)}} */
  public Clock clock() {
    return clock;
  }

  /**
   * Minimum increase, in bytes, of the peak over the last reported one for an event of a new peak, &gt; 0. Default: 1.
   *
   * @param peakGranularityBytes the value
   * @return this
   */
  public MemoryTrackerOptions peakGranularityBytes(long peakGranularityBytes) {
    this.peakGranularityBytes = peakGranularityBytes;
    return this;
  }

  /** {@return the value set by {@link #peakGranularityBytes(long)}} */
  public long peakGranularityBytes() {
    return peakGranularityBytes;
  }

  /** Calls with these values, and keeps them alive during the call. */
  void with(NativeObject.Into<ckpt_memory_tracker_options> call) {
    try (ckpt_memory_tracker_options struct = new ckpt_memory_tracker_options()) {
      if (clock != null) struct.setClock(clock);
      struct.setPeak_granularity_bytes(peakGranularityBytes);
      call.call(struct);
    } finally {
      Reference.reachabilityFence(this);
    }
  }
}
