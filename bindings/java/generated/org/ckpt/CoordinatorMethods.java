// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

import java.time.Duration;

/** The methods of {@link Coordinator} that are one call of the C API. */
abstract class CoordinatorMethods extends NativeObject {
  CoordinatorMethods(long address) {
    super(address, Native::ckpt_coordinator_release);
  }

  static Coordinator created(Into<long[]> create) {
    return new Coordinator(number(create));
  }

  /** Returns this process's rank, 0 .. worldSize - 1. */
  public long rank() {
    return number(out -> Native.ckpt_coordinator_get_rank(this, out));
  }

  /** Returns the number of processes. */
  public long worldSize() {
    return number(out -> Native.ckpt_coordinator_get_world_size(this, out));
  }

  /**
   * Waits until every process has called it. timeout: &gt;= 0; {@link Status#TIMEOUT} after that. A custom coordinator's error is
   * returned if it is a status, else as {@link Status#CALLBACK}. Invalid arguments of this function, {@code Coordinator.broadcast},
   * {@code Coordinator.allGather} and {@code Coordinator.gather} are detected only by their process: the others wait for it until
   * {@link Status#TIMEOUT}.
   */
  public void barrier(Duration timeout) {
    Native.ckpt_coordinator_barrier(this, nanoseconds(timeout));
  }
}
