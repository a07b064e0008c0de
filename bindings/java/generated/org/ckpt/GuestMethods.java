// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/** The functions of {@link Guest}. */
interface GuestMethods<T> {
  /**
   * Runs layers first .. last-1 forward under one option, recording nothing; input is INPUT(first). Returns INPUT(last), a handle
   * that is not live (input itself only with TAKE_INPUT). Runs on the thread that drives; may block; calls of its driver, other
   * than to cancel, finalize or release it, return {@link Status#INVALID_STATE}. An exception ends the step with {@link
   * Status#CALLBACK}.
   */
  T forward(DriveCall call, T input);

  /**
   * Runs layer first backward. input is INPUT(first) and output is INPUT(last), each null where it is not there. tape and
   * gradOutput, GRAD(last), are the callback's own from here on, also when it fails; each may be null, as it was given. Returns
   * GRAD(first), null for none. Threads, calls and failure as for forward.
   */
  T backward(DriveCall call, T input, T output, T tape, T gradOutput);

  /**
   * Ends the forward part in {@code Driver.run}: output is the chain's, INPUT(n). Returns GRAD(n), null for none. Threads, calls
   * and failure as for forward.
   */
  default T turn(DriveCall call, T output) {
    throw new UnsupportedOperationException("there is no turn");
  }

  /**
   * Begins to copy an item into (tier, slot). The handle stays as it is until the AWAIT of this transfer has returned. Threads,
   * calls and failure as for forward; one that fails has begun nothing.
   */
  default void store(DriveCall call, T item) {
    throw new UnsupportedOperationException("there is no store");
  }

  /**
   * Begins to copy what (tier, slot) holds back into memory: returns the new handle, which is used behind the AWAIT of this
   * transfer. The slot keeps what it holds. Threads, calls and failure as for forward; one that fails has begun nothing.
   */
  default T load(DriveCall call) {
    throw new UnsupportedOperationException("there is no load");
  }

  /**
   * Waits until a transfer has ended: exactly once for each that was begun, also in a step that fails (then what it returns is not
   * looked at). Threads, calls and failure as for forward.
   */
  default void await(DriveCall call) {
    throw new UnsupportedOperationException("there is no await");
  }
}
