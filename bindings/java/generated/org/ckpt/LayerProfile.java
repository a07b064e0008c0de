// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

import java.lang.ref.Reference;

/** Properties of one layer for planning. */
public final class LayerProfile {
  private int flags = LayerFlag.NEEDS_INPUT | LayerFlag.DETERMINISTIC;
  private long outputBytes = 0L;
  private long ambientBytes = 0L;
  private TensorSpec spec = null;

  /** All defaults. */
  public LayerProfile() {}

  /**
   * Sum of {@link LayerFlag}. Default: {@link LayerFlag#NEEDS_INPUT} and {@link LayerFlag#DETERMINISTIC}.
   *
   * @param flags the value
   * @return this
   */
  public LayerProfile flags(int flags) {
    this.flags = flags;
    return this;
  }

  /** {@return the value set by {@link #flags(int)}} */
  public int flags() {
    return flags;
  }

  /**
   * Bytes of the layer's output, and of its gradient, &gt;= 0. Default: 0.
   *
   * @param outputBytes the value
   * @return this
   */
  public LayerProfile outputBytes(long outputBytes) {
    this.outputBytes = outputBytes;
    return this;
  }

  /** {@return the value set by {@link #outputBytes(long)}} */
  public long outputBytes() {
    return outputBytes;
  }

  /**
   * Bytes of the ambient state that is saved before the first forward and restored before a recomputation, &gt;= 0. Default: 0.
   *
   * @param ambientBytes the value
   * @return this
   */
  public LayerProfile ambientBytes(long ambientBytes) {
    this.ambientBytes = ambientBytes;
    return this;
  }

  /** {@return the value set by {@link #ambientBytes(long)}} */
  public long ambientBytes() {
    return ambientBytes;
  }

  /**
   * Element type and shape of the layer's output, for strategies; null when not known. Default: null.
   *
   * @param spec the value
   * @return this
   */
  public LayerProfile spec(TensorSpec spec) {
    this.spec = spec;
    return this;
  }

  /** {@return the value set by {@link #spec(TensorSpec)}} */
  public TensorSpec spec() {
    return spec;
  }

  /** Calls with these values, and keeps them alive during the call. */
  void with(NativeObject.Into<ckpt_layer_profile> call) {
    try (ckpt_layer_profile struct = new ckpt_layer_profile()) {
      struct.setFlags(flags);
      struct.setOutput_bytes(outputBytes);
      struct.setAmbient_bytes(ambientBytes);
      if (spec != null) {
        struct.setDtype(spec.dtype().number());
        struct.setNdim(spec.shape().length);
        struct.setShape(spec.shape());
      }
      call.call(struct);
    } finally {
      Reference.reachabilityFence(this);
    }
  }

  static LayerProfile of(ckpt_layer_profile struct) {
    LayerProfile created = new LayerProfile();
    created.flags = struct.getFlags();
    created.outputBytes = struct.getOutput_bytes();
    created.ambientBytes = struct.getAmbient_bytes();
    created.spec = struct.getDtype() == 0 ? null : TensorSpec.of(struct.getDtype(), struct.getNdim(), struct.getShape());
    return created;
  }

  static LayerProfile from(NativeObject.Into<ckpt_layer_profile> call) {
    try (ckpt_layer_profile struct = new ckpt_layer_profile()) {
      call.call(struct);
      return of(struct);
    }
  }
}
