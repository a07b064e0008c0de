// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/** The methods of {@link Strategy} that are one call of the C API. */
abstract class StrategyMethods extends NativeObject {
  StrategyMethods(long address) {
    super(address, Native::ckpt_strategy_release);
  }

  /** Returns another reference to the same strategy, to be closed by itself. */
  public Strategy share() {
    Native.ckpt_strategy_retain(this);
    return new Strategy(address());
  }

  /**
   * Reports that the layer's activation was used. Smart counts it for layers that it knows; composites notify their children.
   * Executors call this; call it when you run your layers yourself.
   */
  public void observeAccess(String layerName) {
    Native.ckpt_strategy_observe_access(this, layerName);
  }

  /** Returns the strategy's name: "Interval(2)", "SizeBased(1MB)", "Any(Smart, Interval(8))", .... */
  public String name() {
    return Native.ckpt_strategy_get_name(this);
  }

  /**
   * Sets the strategy back to its state after creation, counters included; for a composite its children too. What a yes means stays
   * as set.
   */
  public void reset() {
    Native.ckpt_strategy_reset(this);
  }

  /** Returns what a yes means: {@link StrategyChosen#RECOMPUTE} or {@link StrategyChosen#BOUNDARY}. */
  public StrategyChosen chosen() {
    return StrategyChosen.of(whole(out -> Native.ckpt_strategy_get_chosen(this, out)));
  }

  /**
   * Sets what a yes means from now on: {@link StrategyChosen#RECOMPUTE}, {@link StrategyChosen#BOUNDARY}, or {@link
   * StrategyChosen#DEFAULT} for what is usual for the kind. Schedules that were made before stay as they are.
   */
  public void setChosen(StrategyChosen chosen) {
    Native.ckpt_strategy_set_chosen(this, chosen.number());
  }

  /** Returns the counters. A snapshot while other threads ask. */
  public StrategyCounters counters() {
    return StrategyCounters.from(struct -> Native.ckpt_strategy_get_counters(this, struct));
  }

  /** Returns the info. */
  public StrategyInfo info() {
    return StrategyInfo.from(struct -> Native.ckpt_strategy_get_info(this, struct));
  }

  /**
   * Returns the text from which {@code Strategy.create} makes an equal strategy. The meaning of a yes is not in it. {@link
   * Status#UNSUPPORTED} for handles, which the message names: custom strategies, a tracker and a clock. {@link Status#OUT_OF_RANGE}
   * beyond 16 MiB, which children that are shared can reach.
   */
  public String text() {
    return Native.ckpt_strategy_get_text(this);
  }

  /** Forgets a registered kind; strategies made by it live on. {@link Status#NOT_FOUND} for any other name. Synchronised. */
  public static void unregister(String name) {
    Native.ckpt_strategy_unregister(name);
  }
}
