// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/** The methods of {@link FaultHandler} that are one call of the C API. */
abstract class FaultHandlerMethods extends NativeObject {
  FaultHandlerMethods(long address) {
    super(address, Native::ckpt_fault_handler_release);
  }

  static FaultHandler created(Into<long[]> create) {
    return new FaultHandler(number(create));
  }

  /** Returns the number of retries since the handler was created. */
  public long retryCount() {
    return number(out -> Native.ckpt_fault_handler_get_retry_count(this, out));
  }
}
