// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/** The methods of {@link Cursor} that are one call of the C API. */
abstract class CursorMethods extends NativeObject {
  CursorMethods(long address) {
    super(address, Native::ckpt_cursor_release);
  }

  /**
   * Sets the number of steps of an open-ended schedule to layerCount (&gt;= 1, and at least the number of steps that were already
   * returned). {@link Status#INVALID_STATE} when the number is known already.
   */
  public void finish(long layerCount) {
    Native.ckpt_cursor_finalize(this, layerCount);
  }
}
