// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/** The functions of {@link Framework}. */
interface FrameworkMethods<T> {
  /**
   * Runs layers first .. last-1 forward under one option, recording nothing; input is INPUT(first). Returns INPUT(last), a handle
   * that is not live (input itself only with TAKE_INPUT). Runs on the thread that runs the step; may block; calls of its driver,
   * other than to cancel, finalize or release it, return {@link Status#INVALID_STATE}. An exception fails the step with {@link
   * Status#CALLBACK}.
   */
  T forward(DriveCall call, T input);

  /**
   * Runs layer first backward. input is INPUT(first) and output is INPUT(last), each null if it does not exist. The callback takes
   * over tape and gradOutput, GRAD(last), also if it fails; each may be null, as it was passed to the driver. Returns GRAD(first),
   * null for none. Threads, calls and failure as for forward.
   */
  T backward(DriveCall call, T input, T output, T tape, T gradOutput);

  /**
   * Ends the forward part in {@code Driver.run}: output is the chain's, INPUT(n). Returns GRAD(n), null for none. Threads, calls
   * and failure as for forward.
   */
  default T turn(DriveCall call, T output) {
    throw new UnsupportedOperationException("turn is not implemented");
  }

  /**
   * Begins to copy an item into (tier, slot). The handle stays valid until the AWAIT of this transfer has returned. Threads, calls
   * and failure as for forward; a failed call has begun no transfer.
   */
  default void store(DriveCall call, T item) {
    throw new UnsupportedOperationException("store is not implemented");
  }

  /**
   * Begins to copy the item in (tier, slot) back into memory: returns the new handle, which is used after the AWAIT of this
   * transfer. The slot keeps its item. Threads, calls and failure as for forward; a failed call has begun no transfer.
   */
  default T load(DriveCall call) {
    throw new UnsupportedOperationException("load is not implemented");
  }

  /**
   * Waits until a transfer has ended: called exactly once for each transfer that was begun, also in a step that fails (its return
   * value is then ignored). Threads, calls and failure as for forward.
   */
  default void await(DriveCall call) {
    throw new UnsupportedOperationException("await is not implemented");
  }
}
