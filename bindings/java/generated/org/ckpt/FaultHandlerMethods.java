// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

import java.util.function.Consumer;

/** The methods of {@link FaultHandler} that are one call of the C API. */
abstract class FaultHandlerMethods extends NativeObject {
  FaultHandlerMethods(long address) {
    super(address);
  }

  FaultHandlerMethods(long address, Consumer<NativeObject> release) {
    super(address, release);
  }

  /** Returns how often an operation was tried again since the handler was made. */
  public long retryCount() {
    return number(out -> Native.ckpt_fault_handler_get_retry_count(this, out));
  }
}
