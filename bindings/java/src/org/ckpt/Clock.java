package org.ckpt;

import java.util.function.LongSupplier;

/** A source of time that never goes backwards. Objects that depend on time accept one, so that tests need no real time.
 * Synchronized. */
public final class Clock extends ClockMethods {
  Clock(long address) {
    super(address);
  }

  /**
   * Creates a clock that calls a function, on any thread.
   *
   * @param now returns nanoseconds since a fixed moment; when it throws, the last time is used
   * @return the clock
   */
  public static Clock custom(LongSupplier now) {
    NativeClockSource source = new NativeClockSource() {
      @Override
      public long now() {
        return now.getAsLong();
      }
    };
    return new Clock(number(out -> Native.ckpt_clock_create_custom(source.pinned(), out)));
  }

  /** {@return nanoseconds since a fixed, arbitrary moment} */
  public long nowNs() {
    return number(out -> Native.ckpt_clock_get_now(this, out));
  }
}
