package org.ckpt;

/**
 * Follows a strategy that changes its mind: asks it again between steps, and lets it learn what executors with this follower run.
 * Synchronised.
 */
public final class Follower extends NativeObject {
  /**
   * The schedule of the next step.
   *
   * @param schedule to be closed by who asked
   * @param changed whether it is another than the last one: only then is a new executor needed
   */
  public record Next(Schedule schedule, boolean changed) {}

  /**
   * A follower that has not asked yet.
   *
   * @param profile of the chain; copied
   * @param strategy kept
   */
  public Follower(Profile profile, CheckpointStrategy strategy) {
    this(profile, Strategy.of(strategy));
  }

  private Follower(Profile profile, Strategy strategy) {
    super(number(out -> Native.ckpt_follower_create(profile, strategy, out)), Native::ckpt_follower_release);
  }

  /** {@return the schedule of the next step: asks the strategy about each layer} */
  public Next next() {
    int[] changed = new int[1];
    Schedule schedule = Schedule.made(out -> Native.ckpt_follower_next(this, out, changed));
    return new Next(schedule, changed[0] != 0);
  }
}
