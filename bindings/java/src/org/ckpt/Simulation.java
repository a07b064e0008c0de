package org.ckpt;

/** Replays failures against policies of saving, fixed intervals, Daly's interval and one who knows what comes. */
public final class Simulation extends SimulationMethods {
  /**
   * Runs the simulation.
   *
   * @param options what it replays
   */
  public Simulation(SimulationOptions options) {
    super(
        number(out -> options.with(struct -> Native.ckpt_simulation_create(struct, out))), Native::ckpt_simulation_release);
  }

}
