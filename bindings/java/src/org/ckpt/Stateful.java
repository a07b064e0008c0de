package org.ckpt;

/** An object that lists its tensors and values for every save and load. Runs on the thread that saves or loads. */
@FunctionalInterface
public interface Stateful {
  /**
   * Lists tensors and values. If it throws, the save or load fails with {@link CkptCallbackException}.
   *
   * @param into an empty state, valid during the call only
   */
  void list(State into);

  /**
   * Called after a load has filled the tensors.
   *
   * @param loaded holds the values; valid during the call only
   */
  default void restore(State loaded) {}
}
