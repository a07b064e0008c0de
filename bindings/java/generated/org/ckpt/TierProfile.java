// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

import java.lang.ref.Reference;
import java.time.Duration;

/** Properties of a tier, a place that is slower than memory, for planning. */
public final class TierProfile {
  private long capacityBytes = 0L;
  private double writeBytesPerSecond = 0.0;
  private double readBytesPerSecond = 0.0;
  private double latencySeconds = 0.0;

  /** All defaults. */
  public TierProfile() {}

  /**
   * Capacity of the tier in bytes, &gt;= 0; 0: no limit. Default: 0.
   *
   * @param capacityBytes the value
   * @return this
   */
  public TierProfile capacityBytes(long capacityBytes) {
    this.capacityBytes = capacityBytes;
    return this;
  }

  /** {@return the value set by {@link #capacityBytes(long)}} */
  public long capacityBytes() {
    return capacityBytes;
  }

  /**
   * Rate of a STORE_BEGIN's copy in bytes per second, &gt;= 0; 0: no limit, it takes no time. Default: 0.0.
   *
   * @param writeBytesPerSecond the value
   * @return this
   */
  public TierProfile writeBytesPerSecond(double writeBytesPerSecond) {
    this.writeBytesPerSecond = writeBytesPerSecond;
    return this;
  }

  /** {@return the value set by {@link #writeBytesPerSecond(double)}} */
  public double writeBytesPerSecond() {
    return writeBytesPerSecond;
  }

  /**
   * Rate of a LOAD_BEGIN's copy in bytes per second, &gt;= 0; 0: no limit, it takes no time. Default: 0.0.
   *
   * @param readBytesPerSecond the value
   * @return this
   */
  public TierProfile readBytesPerSecond(double readBytesPerSecond) {
    this.readBytesPerSecond = readBytesPerSecond;
    return this;
  }

  /** {@return the value set by {@link #readBytesPerSecond(double)}} */
  public double readBytesPerSecond() {
    return readBytesPerSecond;
  }

  /**
   * Duration of a copy of no bytes in seconds, &gt;= 0. Default: 0.0.
   *
   * @param latencySeconds the value
   * @return this
   */
  public TierProfile latencySeconds(double latencySeconds) {
    this.latencySeconds = latencySeconds;
    return this;
  }

  /** {@return the value set by {@link #latencySeconds(double)}} */
  public double latencySeconds() {
    return latencySeconds;
  }

  /** Calls with these values, and keeps them alive during the call. */
  void with(NativeObject.Into<ckpt_tier_profile> call) {
    try (ckpt_tier_profile struct = new ckpt_tier_profile()) {
      struct.setCapacity_bytes(capacityBytes);
      struct.setWrite_bytes_per_second(writeBytesPerSecond);
      struct.setRead_bytes_per_second(readBytesPerSecond);
      struct.setLatency_seconds(latencySeconds);
      call.call(struct);
    } finally {
      Reference.reachabilityFence(this);
    }
  }

  static TierProfile of(ckpt_tier_profile struct) {
    TierProfile created = new TierProfile();
    created.capacityBytes = struct.getCapacity_bytes();
    created.writeBytesPerSecond = struct.getWrite_bytes_per_second();
    created.readBytesPerSecond = struct.getRead_bytes_per_second();
    created.latencySeconds = struct.getLatency_seconds();
    return created;
  }

  static TierProfile from(NativeObject.Into<ckpt_tier_profile> call) {
    try (ckpt_tier_profile struct = new ckpt_tier_profile()) {
      call.call(struct);
      return of(struct);
    }
  }
}
