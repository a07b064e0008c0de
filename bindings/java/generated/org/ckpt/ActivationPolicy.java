// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

import java.lang.ref.Reference;

/** A rule that selects the micro-batches with activations that are kept from forward to backward. The others are recomputed. */
public final class ActivationPolicy {
  private ActivationPolicyKind kind = ActivationPolicyKind.STORE_ALL;
  private long interval = 1L;
  private long thresholdBytes = 1073741824L;
  private Strategy strategy = null;
  private long memoryLimitBytes = 0L;

  /** All defaults. */
  public ActivationPolicy() {}

  /**
   * Kind of policy. Default: {@link ActivationPolicyKind#STORE_ALL}.
   *
   * @param kind the value
   * @return this
   */
  public ActivationPolicy kind(ActivationPolicyKind kind) {
    this.kind = kind;
    return this;
  }

  /** {@return the value set by {@link #kind(ActivationPolicyKind)}} */
  public ActivationPolicyKind kind() {
    return kind;
  }

  /**
   * For selective: n, where every n-th micro-batch is stored, &gt;= 0; 0 stores all, like 1. Default: 1.
   *
   * @param interval the value
   * @return this
   */
  public ActivationPolicy interval(long interval) {
    this.interval = interval;
    return this;
  }

  /** {@return the value set by {@link #interval(long)}} */
  public long interval() {
    return interval;
  }

  /**
   * For memory-based, also if automatic selects it: maximum bytes of stored activations, &gt;= 0. Default: 1 GiB.
   *
   * @param thresholdBytes the value
   * @return this
   */
  public ActivationPolicy thresholdBytes(long thresholdBytes) {
    this.thresholdBytes = thresholdBytes;
    return this;
  }

  /** {@return the value set by {@link #thresholdBytes(long)}} */
  public long thresholdBytes() {
    return thresholdBytes;
  }

  /**
   * For {@link ActivationPolicyKind#STRATEGY}: the strategy that is asked; kept alive; ignored by other kinds. Default: null.
   *
   * @param strategy the value
   * @return this
   */
  public ActivationPolicy strategy(CheckpointStrategy strategy) {
    this.strategy = Strategy.of(strategy);
    return this;
  }

  /** {@return the value set by {@link #strategy(CheckpointStrategy)}} */
  public Strategy strategy() {
    return strategy;
  }

  /**
   * For automatic: total memory in bytes, &gt;= 0; 0: the memory that this process may use, which is physical memory or its control
   * group's limit. Default: 0.
   *
   * @param memoryLimitBytes the value
   * @return this
   */
  public ActivationPolicy memoryLimitBytes(long memoryLimitBytes) {
    this.memoryLimitBytes = memoryLimitBytes;
    return this;
  }

  /** {@return the value set by {@link #memoryLimitBytes(long)}} */
  public long memoryLimitBytes() {
    return memoryLimitBytes;
  }

  /** Calls with these values, and keeps them alive during the call. */
  void with(NativeObject.Into<ckpt_activation_policy> call) {
    try (ckpt_activation_policy struct = new ckpt_activation_policy()) {
      struct.setKind(kind.number());
      struct.setInterval(interval);
      struct.setThreshold_bytes(thresholdBytes);
      if (strategy != null) struct.setStrategy(strategy);
      struct.setMemory_limit_bytes(memoryLimitBytes);
      call.call(struct);
    } finally {
      Reference.reachabilityFence(this);
    }
  }

  static ActivationPolicy of(ckpt_activation_policy struct) {
    ActivationPolicy created = new ActivationPolicy();
    created.kind = ActivationPolicyKind.of(struct.getKind());
    created.interval = struct.getInterval();
    created.thresholdBytes = struct.getThreshold_bytes();
    created.memoryLimitBytes = struct.getMemory_limit_bytes();
    return created;
  }

  static ActivationPolicy from(NativeObject.Into<ckpt_activation_policy> call) {
    try (ckpt_activation_policy struct = new ckpt_activation_policy()) {
      call.call(struct);
      return of(struct);
    }
  }
}
