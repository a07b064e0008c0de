// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

import java.lang.ref.Reference;
import java.util.OptionalLong;

/** Options for creating a buffer pool. */
public final class BufferPoolOptions {
  private Long retainLimitBytes = 268435456L;
  private String layerName = null;

  /** All defaults. */
  public BufferPoolOptions() {}

  /**
   * Maximum number of bytes kept for reuse; beyond it the buffers that were returned first are released to the system; empty: every
   * buffer is kept for reuse. Default: 256 MiB.
   *
   * @param retainLimitBytes the value
   * @return this
   */
  public BufferPoolOptions retainLimitBytes(long retainLimitBytes) {
    this.retainLimitBytes = retainLimitBytes;
    return this;
  }

  /** {@return the value set by {@link #retainLimitBytes(long)}} */
  public OptionalLong retainLimitBytes() {
    return retainLimitBytes == null ? OptionalLong.empty() : OptionalLong.of(retainLimitBytes);
  }

  /**
   * Every buffer is kept for reuse.
   *
   * @return this
   */
  public BufferPoolOptions noRetainLimit() {
    retainLimitBytes = null;
    return this;
  }

  /**
   * Layer name under which the tracker counts the pool's buffers; null: "tensor".
   *
   * @param layerName the value
   * @return this
   */
  public BufferPoolOptions layerName(String layerName) {
    this.layerName = layerName;
    return this;
  }

  /** {@return the value set by {@link #layerName(String)}} */
  public String layerName() {
    return layerName;
  }

  /** Calls with these values, and keeps them alive during the call. */
  void with(NativeObject.Into<ckpt_buffer_pool_options> call) {
    try (ckpt_buffer_pool_options struct = new ckpt_buffer_pool_options()) {
      struct.setHas_retain_limit(retainLimitBytes == null ? 0 : 1);
      if (retainLimitBytes != null) struct.setRetain_limit_bytes(retainLimitBytes);
      if (layerName != null) struct.setLayer_name(layerName);
      call.call(struct);
    } finally {
      Reference.reachabilityFence(this);
    }
  }
}
