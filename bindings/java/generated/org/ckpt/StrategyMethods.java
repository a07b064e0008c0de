// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/** The methods of {@link Strategy} that are one call of the C API. */
abstract class StrategyMethods extends NativeObject {
  StrategyMethods(long address) {
    super(address, Native::ckpt_strategy_release);
  }

  /** Returns another reference to the same strategy, to be closed separately. */
  public Strategy share() {
    Native.ckpt_strategy_retain(this);
    return new Strategy(address());
  }

  /**
   * Reports that the layer's activation was used. Smart counts it for known layers; composites notify their children. Executors
   * call this; call it if the program runs layers without an executor.
   */
  public void observeAccess(String layerName) {
    Native.ckpt_strategy_observe_access(this, layerName);
  }

  /** Returns the strategy's name, for example "Interval(2)", "SizeBased(1MB)" or "Any(Smart, Interval(8))". */
  public String name() {
    return Native.ckpt_strategy_get_name(this);
  }

  /**
   * Resets the strategy to its state after creation, counters included; for a composite its children, too. The meaning of a yes
   * stays as set.
   */
  public void reset() {
    Native.ckpt_strategy_reset(this);
  }

  /** Returns the meaning of a yes: {@link StrategyChosen#RECOMPUTE} or {@link StrategyChosen#BOUNDARY}. */
  public StrategyChosen chosen() {
    return StrategyChosen.of(whole(out -> Native.ckpt_strategy_get_chosen(this, out)));
  }

  /**
   * Sets the meaning of a yes: {@link StrategyChosen#RECOMPUTE}, {@link StrategyChosen#BOUNDARY}, or {@link StrategyChosen#DEFAULT}
   * for the default of the kind. Existing schedules do not change.
   */
  public void setChosen(StrategyChosen chosen) {
    Native.ckpt_strategy_set_chosen(this, chosen.number());
  }

  /** Returns the strategy's counters: a snapshot while other threads ask. */
  public StrategyCounters counters() {
    return StrategyCounters.from(struct -> Native.ckpt_strategy_get_counters(this, struct));
  }

  /** Returns the strategy's configuration. */
  public StrategyInfo info() {
    return StrategyInfo.from(struct -> Native.ckpt_strategy_get_info(this, struct));
  }

  /**
   * Returns the text from which {@code Strategy.create} creates an equal strategy. The text does not contain the meaning of a yes.
   * {@link Status#UNSUPPORTED} for objects that text cannot express, which the message names: custom strategies, a tracker and a
   * clock. {@link Status#OUT_OF_RANGE} above 16 MiB, which is possible with shared children.
   */
  public String text() {
    return Native.ckpt_strategy_get_text(this);
  }

  /** Unregisters a kind; strategies created with it stay valid. {@link Status#NOT_FOUND} for any other name. Synchronized. */
  public static void unregister(String name) {
    Native.ckpt_strategy_unregister(name);
  }
}
