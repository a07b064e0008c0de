package org.ckpt;

/**
 * A framework with steps driven by a {@link Driver}: performs each piece of work. The driver does not access its items (inputs,
 * tapes, gradients). If a method throws, the step fails.
 *
 * @param <T> type of the items
 */
public interface Guest<T> extends GuestMethods<T> {
  /**
   * The result of a record.
   *
   * @param output null only with {@link DriveFlag#NO_OUTPUT}
   * @param tape null for an empty one
   * @param <T> type of the items
   */
  record Recorded<T>(T output, T tape) {}

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
