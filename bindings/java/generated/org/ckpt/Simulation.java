// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/** A completed simulation. */
public final class Simulation extends NativeObject {
  Simulation(long address) {
    super(address, Native::ckpt_simulation_release);
  }

  /**
   * Replays failures against each policy and each fixed interval. It compares them with Daly's interval (computed from the true
   * MTBF and cost), and with an oracle that has the time of the next failure. Failures interrupt work, saves and restarts; only
   * finished saves count. options: not null, because it has the failures. {@link Status#INVALID_ARGUMENT} names the invalid option,
   * or the line of a trace. {@link Status#OUT_OF_RANGE} names the argument to change if there would be more than 10^9 polls, gaps
   * for the estimators, or node lifetimes: up to that limit a simulation takes seconds to minutes.
   */
  public Simulation(SimulationOptions options) {
    this(number(out -> options.with(optionsStruct -> Native.ckpt_simulation_create(optionsStruct, out))));
  }

  /**
   * Returns the results as JSON: for each policy its efficiency (finished work per wall time), and its extra wall time against
   * Daly's interval for the same work. The periods are all failures, the first 10, the first 100, and those after 100; null if
   * there are none. "extra_wall_curves" has the extra wall time after 1, 2, ... failures, as [failures, share] points for each
   * policy. "fixed_intervals" has the efficiency of each fixed interval, as [seconds, efficiency]. "failure_gaps" is a histogram of
   * the times between failures, as [from seconds, to seconds, count].
   */
  public String json() {
    return Native.ckpt_simulation_get_json(this);
  }
}
