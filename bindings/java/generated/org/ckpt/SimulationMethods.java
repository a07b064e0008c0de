// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

import java.util.function.Consumer;

/** The methods of {@link Simulation} that are one call of the C API. */
abstract class SimulationMethods extends NativeObject {
  SimulationMethods(long address) {
    super(address);
  }

  SimulationMethods(long address, Consumer<NativeObject> release) {
    super(address, release);
  }

  /**
   * Returns the results as JSON: for each policy its efficiency (finished work per wall time) and its extra wall time against
   * Daly's interval for the same work, over all failures, the first 10, the first 100, and those after 100; null where there is
   * none. "extra_wall_curves" has the extra wall time after 1, 2, ... failures as [failures, share] points for each policy,
   * "fixed_intervals" the efficiency of each fixed interval as [seconds, efficiency], "failure_gaps" how many of the times between
   * failures lie in each interval, as [from seconds, to seconds, count].
   */
  public String json() {
    return Native.ckpt_simulation_get_json(this);
  }
}
