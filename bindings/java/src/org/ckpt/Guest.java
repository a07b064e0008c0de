package org.ckpt;

/**
 * A framework whose steps a {@link Driver} drives: what it does for each piece of work. Its items (inputs, tapes, gradients) are its
 * own objects, never looked into. What a method throws ends the step.
 *
 * @param <T> items
 */
public interface Guest<T> {
  /**
   * What a record makes.
   *
   * @param output null only with {@link DriveFlag#NO_OUTPUT}
   * @param tape null for one that is empty
   * @param <T> items
   */
  record Recorded<T>(T output, T tape) {}

  /**
   * Runs layers first .. last-1 without recording.
   *
   * @param call with {@link DriveFlag#TAKE_INPUT} the input is this method's own: it is not dropped
   * @param input of the first layer
   * @return the last one's output
   */
  T forward(DriveCall call, T input);

  /**
   * Runs one layer and records.
   *
   * @param call as for forward
   * @param input of the layer
   * @return the layer's output and tape
   */
  Recorded<T> record(DriveCall call, T input);

  /**
   * Runs one layer backward. The tape and the gradient are this method's own from here on: they are not dropped.
   *
   * @param call with {@link DriveFlag#TAKE_INPUT} and TAKE_OUTPUT the input and the output are, too
   * @param input of the layer, null when it is not there
   * @param output of the layer, null when it is not there
   * @param tape as recorded
   * @param gradOutput gradient of the output
   * @return gradient of the input, null for none
   */
  T backward(DriveCall call, T input, T output, T tape, T gradOutput);

  /**
   * Ends the forward part in {@link Driver#run}.
   *
   * @param call which
   * @param output of the chain
   * @return its gradient, null for none
   */
  default T turn(DriveCall call, T output) {
    throw new UnsupportedOperationException("the guest has no turn");
  }

  /**
   * Begins to copy an item into a slot of a slower tier.
   *
   * @param call which
   * @param item stays as it is until the transfer was awaited
   */
  default void store(DriveCall call, T item) {
    throw new UnsupportedOperationException("the guest has no store");
  }

  /**
   * Begins to copy back what a slot holds.
   *
   * @param call which
   * @return used after the transfer was awaited
   */
  default T load(DriveCall call) {
    throw new UnsupportedOperationException("the guest has no load");
  }

  /**
   * Waits for a transfer: once for each that was begun.
   *
   * @param call which
   */
  default void await(DriveCall call) {
    throw new UnsupportedOperationException("the guest has no await");
  }

  /**
   * An item has ended, or what a slot of a slower tier holds. Each item ends here or was taken over, exactly once.
   *
   * @param call which
   * @param item null for a slot
   */
  default void drop(DriveCall call, T item) {}
}
