package org.ckpt;

/**
 * A listener that is notified of events until this is closed or the tracker's end. The library keeps the listener alive: this
 * object need not be kept.
 */
public class MemorySubscription implements AutoCloseable {
  final MemoryTracker tracker;
  final long id;

  MemorySubscription(MemoryTracker tracker, long id) {
    this.tracker = tracker;
    this.id = id;
  }

  /**
   * Ends it. Returns when no other thread is inside the listener.
   *
   * @throws CkptNotFoundException when it has ended already
   * @throws CkptInvalidStateException when listeners would wait for each other
   */
  public void unsubscribe() {
    Native.ckpt_memory_tracker_unsubscribe(tracker, id);
  }

  /** Ends it; one that has ended already stays so. */
  @Override
  public void close() {
    if (tracker.isClosed()) return;
    try {
      unsubscribe();
    } catch (CkptNotFoundException ended) {
      // What was wanted.
    }
  }
}
