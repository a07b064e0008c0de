package org.ckpt;

/** An object that lists what is saved of it, anew for every save and load. Runs on the thread that saves or loads. */
@FunctionalInterface
public interface Stateful {
  /**
   * Lists tensors and values. What it throws makes the save or load fail with {@link CkptCallbackException}.
   *
   * @param into empty; valid during the call only
   */
  void list(State into);

  /**
   * The tensors have their new contents.
   *
   * @param loaded gives the values; valid during the call only
   */
  default void restore(State loaded) {}
}
