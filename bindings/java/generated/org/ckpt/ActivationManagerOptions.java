// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

import java.lang.ref.Reference;

/** Options for creating an activation manager. */
public final class ActivationManagerOptions {
  private String name = null;
  private MemoryTracker tracker = null;
  private Clock clock = null;

  /** All defaults. */
  public ActivationManagerOptions() {}

  /**
   * Name of the stage for strategies and the tracker; null: "stage".
   *
   * @param name the value
   * @return this
   */
  public ActivationManagerOptions name(String name) {
    this.name = name;
    return this;
  }

  /** {@return the value set by {@link #name(String)}} */
  public String name() {
    return name;
  }

  /**
   * Tracker that counts stored activations; kept alive; null: a new one.
   *
   * @param tracker the value
   * @return this
   */
  public ActivationManagerOptions tracker(MemoryTracker tracker) {
    this.tracker = tracker;
    return this;
  }

  /** {@return the value set by {@link #tracker(MemoryTracker)}} */
  public MemoryTracker tracker() {
    return tracker;
  }

  /**
   * Clock for the times of stored activations; kept alive; null: the monotonic clock.
   *
   * @param clock the value
   * @return this
   */
  public ActivationManagerOptions clock(Clock clock) {
    this.clock = clock;
    return this;
  }

  /** {@return the value set by {@link #clock(Clock)}} */
  public Clock clock() {
    return clock;
  }

  /** Calls with these values, and keeps them alive during the call. */
  void with(NativeObject.Into<ckpt_activation_manager_options> call) {
    try (ckpt_activation_manager_options struct = new ckpt_activation_manager_options()) {
      if (name != null) struct.setName(name);
      if (tracker != null) struct.setTracker(tracker);
      if (clock != null) struct.setClock(clock);
      call.call(struct);
    } finally {
      Reference.reachabilityFence(this);
    }
  }
}
