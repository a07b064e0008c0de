package org.ckpt;

import java.util.List;

/**
 * A framework with steps driven by a {@link Driver}: performs each piece of work. The driver does not access its items (inputs,
 * tapes, gradients). If a method throws, the step fails.
 *
 * @param <T> type of the items
 */
public interface Framework<T> extends FrameworkMethods<T> {
  /**
   * The result of a record.
   *
   * @param output null only with {@link DriveFlag#NO_OUTPUT}
   * @param tape null for an empty one
   * @param <T> type of the items
   */
  record Recorded<T>(T output, T tape) {}

  /**
   * A value that a layer of a graph reads.
   *
   * @param item null if it does not exist while the backward runs
   * @param isLast whether this is its last use: the framework then owns it
   * @param <T> type of the items
   */
  record Input<T>(T item, boolean isLast) {}

  /**
   * Runs a layer of a graph and records nothing: replaces forward.
   *
   * @param call the call
   * @param inputs in the order of the profile
   * @return the layer's output
   */
  default T forwardN(DriveCall call, List<Input<T>> inputs) {
    throw new UnsupportedOperationException("forwardN is not implemented");
  }

  /**
   * Runs a layer of a graph and records: replaces record.
   *
   * @param call the call
   * @param inputs in the order of the profile
   * @return the layer's output and tape
   */
  default Recorded<T> recordN(DriveCall call, List<Input<T>> inputs) {
    throw new UnsupportedOperationException("recordN is not implemented");
  }

  /**
   * Runs a layer of a graph backward: replaces backward. The framework owns tape, gradOutput and sums.
   *
   * @param call the call
   * @param inputs in the order of the profile
   * @param output null if it does not exist
   * @param tape null for an empty one
   * @param gradOutput gradient of the output; null for none
   * @param sums the inputs' gradients so far; null for the first layer that adds to one
   * @return the inputs' gradients with this layer's part, null for none; for a sum in place, the same object
   */
  default List<T> backwardN(DriveCall call, List<Input<T>> inputs, T output, T tape, T gradOutput, List<T> sums) {
    throw new UnsupportedOperationException("backwardN is not implemented");
  }

  /**
   * Runs one layer and records.
   *
   * @param call the call, as for forward
   * @param input input of the layer
   * @return the layer's output and tape
   */
  Recorded<T> record(DriveCall call, T input);

  /**
   * Releases an item, or the contents of a slot of a slower tier. Each item is dropped or taken over exactly once.
   *
   * @param call the call
   * @param item null for a slot
   */
  default void drop(DriveCall call, T item) {}
}
