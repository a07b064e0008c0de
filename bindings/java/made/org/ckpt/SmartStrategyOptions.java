// Made from include/ckpt by tools/api: do not edit.
package org.ckpt;

import java.lang.ref.Reference;

/** The constants of a smart strategy. */
public final class SmartStrategyOptions {
  private double largeFactor = 1.5;
  private long rareAccesses = 2L;
  private double lateShare = 0.7;

  /** All defaults. */
  public SmartStrategyOptions() {}

  /**
   * A layer with more than this many times the mean bytes is chosen; finite, above 0. Default: 1.5.
   *
   * @param largeFactor the value
   * @return this
   */
  public SmartStrategyOptions largeFactor(double largeFactor) {
    this.largeFactor = largeFactor;
    return this;
  }

  /** {@return what {@link #largeFactor(double)} set} */
  public double largeFactor() {
    return largeFactor;
  }

  /**
   * A layer accessed fewer times than this is chosen, at least 0. Default: 2.
   *
   * @param rareAccesses the value
   * @return this
   */
  public SmartStrategyOptions rareAccesses(long rareAccesses) {
    this.rareAccesses = rareAccesses;
    return this;
  }

  /** {@return what {@link #rareAccesses(long)} set} */
  public long rareAccesses() {
    return rareAccesses;
  }

  /**
   * A layer whose index is past this share of the known layers is chosen, 0 .. 1. Default: 0.7.
   *
   * @param lateShare the value
   * @return this
   */
  public SmartStrategyOptions lateShare(double lateShare) {
    this.lateShare = lateShare;
    return this;
  }

  /** {@return what {@link #lateShare(double)} set} */
  public double lateShare() {
    return lateShare;
  }

  /** Calls with these values, which stay alive meanwhile. */
  void with(NativeObject.Into<ckpt_smart_strategy_options> call) {
    try (ckpt_smart_strategy_options struct = new ckpt_smart_strategy_options()) {
      struct.setLarge_factor(largeFactor);
      struct.setRare_accesses(rareAccesses);
      struct.setLate_share(lateShare);
      call.call(struct);
    } finally {
      Reference.reachabilityFence(this);
    }
  }
}
