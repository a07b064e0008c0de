package org.ckpt;

import java.util.function.Consumer;

/**
 * Calls functions on every thread that the library creates, when it starts and before it ends, as long as this is open. Java itself
 * needs none: the package has its own hooks, which attach the library's threads to the virtual machine.
 */
public final class ThreadHooks implements AutoCloseable {
  private long id;

  /**
   * Adds the hooks, for threads that are created from now on.
   *
   * @param start takes the thread's name; null: not called
   * @param stop the same, before the thread ends
   */
  public ThreadHooks(Consumer<String> start, Consumer<String> stop) {
    if (start == null && stop == null) throw new CkptInvalidArgumentException("start and stop are null");
    id = NativeObject.number(out -> Native.ckpt_add_thread_hooks(new Hooks(start, stop).pinned(), out));
  }

  /** Removes the hooks. Waits for threads that ran start, so close the owners of threads first. Closing again does nothing. */
  @Override
  public void close() {
    if (id != 0) Native.ckpt_remove_thread_hooks(id);
    id = 0;
  }

  private static final class Hooks extends NativeThreadHooks {
    private final Consumer<String> start;
    private final Consumer<String> stop;

    Hooks(Consumer<String> start, Consumer<String> stop) {
      this.start = start;
      this.stop = stop;
    }

    @Override
    public void start(String name) {
      if (start != null) start.accept(name);
    }

    @Override
    public void stop(String name) {
      if (stop != null) stop.accept(name);
    }
  }
}
