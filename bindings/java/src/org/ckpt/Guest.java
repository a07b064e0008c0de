package org.ckpt;

/**
 * A framework whose steps a {@link Driver} drives: what it does for each piece of work. Its items (inputs, tapes, gradients) are its
 * own objects, never looked into. What a method throws ends the step.
 *
 * @param <T> items
 */
public interface Guest<T> extends GuestMethods<T> {
  /**
   * What a record makes.
   *
   * @param output null only with {@link DriveFlag#NO_OUTPUT}
   * @param tape null for one that is empty
   * @param <T> items
   */
  record Recorded<T>(T output, T tape) {}

  /**
   * Runs one layer and records.
   *
   * @param call as for forward
   * @param input of the layer
   * @return the layer's output and tape
   */
  Recorded<T> record(DriveCall call, T input);

  /**
   * An item has ended, or what a slot of a slower tier holds. Each item ends here or was taken over, exactly once.
   *
   * @param call which
   * @param item null for a slot
   */
  default void drop(DriveCall call, T item) {}
}
