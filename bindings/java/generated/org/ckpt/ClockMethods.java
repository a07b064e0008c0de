// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/** The methods of {@link Clock} that are one call of the C API. */
abstract class ClockMethods extends NativeObject {
  ClockMethods(long address) {
    super(address, Native::ckpt_clock_release);
  }

  static Clock created(Into<long[]> create) {
    return new Clock(number(create));
  }

  /** Creates a clock that stays at start (&gt;= 0, nanoseconds) until {@code Clock.advance} moves it. */
  public static Clock manual(long start) {
    return Clock.created(out -> Native.ckpt_clock_create_manual(start, out));
  }

  /**
   * Moves a manual clock forward by duration (&gt;= 0). {@link Status#INVALID_STATE} for any other clock, {@link
   * Status#OUT_OF_RANGE} past 2^63 - 1.
   */
  public void advance(long duration) {
    Native.ckpt_clock_advance(this, duration);
  }
}
