// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/** The methods of {@link Driver} that are one call of the C API. */
abstract class DriverMethods extends NativeObject {
  DriverMethods(long address) {
    super(address, Native::ckpt_driver_release);
  }

  /**
   * Sets the number of steps of an open-ended schedule to layerCount (&gt;= 1, and at least the steps that were already asked for):
   * within a callback, of the step that runs; else of the next one. Each step has a number of its own. {@link Status#INVALID_STATE}
   * when the number is known already, or when the step is behind its TURN.
   */
  public void finish(long layerCount) {
    Native.ckpt_driver_finalize(this, layerCount);
  }

  /**
   * Ends the step: one that runs ends with {@link Status#CANCELLED} at its next action, one that is paused at TURN is over when
   * this returns, its handles dropped on this thread. Without a step it does nothing. Any thread, also a callback of the driver.
   * Not async-signal-safe: a signal handler sets a flag instead, which a callback reads.
   */
  public void cancel() {
    Native.ckpt_driver_cancel(this);
  }
}
