// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

import java.util.function.Consumer;

/** The methods of {@link Clock} that are one call of the C API. */
abstract class ClockMethods extends NativeObject {
  ClockMethods(long address) {
    super(address);
  }

  ClockMethods(long address, Consumer<NativeObject> release) {
    super(address, release);
  }

  /**
   * Moves a manual clock forward by duration (&gt;= 0). {@link Status#INVALID_STATE} for any other clock, {@link
   * Status#OUT_OF_RANGE} past 2^63 - 1.
   */
  public void advance(long duration) {
    Native.ckpt_clock_advance(this, duration);
  }
}
