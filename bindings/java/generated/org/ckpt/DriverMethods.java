// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/** The methods of {@link Driver} that are one call of the C API. */
abstract class DriverMethods extends NativeObject {
  DriverMethods(long address) {
    super(address, Native::ckpt_driver_release);
  }

  /**
   * Sets the number of steps of an open-ended schedule to layerCount (&gt;= 1, and at least the number of steps that were already
   * requested): inside a callback for the current step, else for the next one. The number applies to one step only. {@link
   * Status#INVALID_STATE} if the number is known already, or if the step is past its TURN.
   */
  public void finish(long layerCount) {
    Native.ckpt_driver_finalize(this, layerCount);
  }

  /**
   * Cancels the step: a running step fails with {@link Status#CANCELLED} at its next action; a step that is paused at TURN has
   * ended when this returns, and its handles were dropped on this thread. Without a step it does nothing. May be called on any
   * thread, also in a callback of the driver. Not async-signal-safe: in a signal handler set a flag that a callback reads.
   */
  public void cancel() {
    Native.ckpt_driver_cancel(this);
  }
}
