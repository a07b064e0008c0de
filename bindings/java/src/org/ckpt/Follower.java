package org.ckpt;

/**
 * Follows a strategy that adapts: queries it again between steps, and passes on the measurements of executors that use this
 * follower. Synchronized.
 */
public final class Follower extends NativeObject {
  /**
   * The schedule of the next step.
   *
   * @param schedule to be closed by the caller
   * @param changed whether it differs from the last one; only then a new executor is needed
   */
  public record Next(Schedule schedule, boolean changed) {}

  /**
   * Creates a follower that has not queried its strategy yet.
   *
   * @param profile of the chain; copied
   * @param strategy kept alive
   */
  public Follower(Profile profile, CheckpointStrategy strategy) {
    this(profile, Strategy.of(strategy));
  }

  private Follower(Profile profile, Strategy strategy) {
    super(number(out -> Native.ckpt_follower_create(profile, strategy, out)), Native::ckpt_follower_release);
  }

  /** {@return the schedule of the next step: queries the strategy for each layer} */
  public Next next() {
    int[] changed = new int[1];
    Schedule schedule = Schedule.created(out -> Native.ckpt_follower_next(this, out, changed));
    return new Next(schedule, changed[0] != 0);
  }
}
