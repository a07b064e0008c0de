package org.ckpt;

/** What an activation manager works with. */
public final class ActivationManagerOptions {
  private String name;
  private MemoryTracker tracker;
  private Clock clock;

  /** All defaults. */
  public ActivationManagerOptions() {}

  /**
   * The stage's; default "stage".
   *
   * @param name the value
   * @return this
   */
  public ActivationManagerOptions name(String name) {
    this.name = name;
    return this;
  }

  /**
   * Default: one of its own.
   *
   * @param tracker the value
   * @return this
   */
  public ActivationManagerOptions tracker(MemoryTracker tracker) {
    this.tracker = tracker;
    return this;
  }

  /**
   * Dates what is stored; default: the monotonic clock.
   *
   * @param clock the value
   * @return this
   */
  public ActivationManagerOptions clock(Clock clock) {
    this.clock = clock;
    return this;
  }

  /** Changes what was set; everything else keeps the library's default. */
  void apply(ckpt_activation_manager_options struct) {
    if (name != null) struct.setName(name);
    if (tracker != null) struct.setTracker(tracker);
    if (clock != null) struct.setClock(clock);
  }
}
