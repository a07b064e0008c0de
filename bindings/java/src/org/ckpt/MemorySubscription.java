package org.ckpt;

/**
 * A listener that is notified of events until this is closed or the tracker ends. The library keeps the listener alive: this
 * object need not be stored.
 */
public class MemorySubscription implements AutoCloseable {
  final MemoryTracker tracker;
  final long id;

  MemorySubscription(MemoryTracker tracker, long id) {
    this.tracker = tracker;
    this.id = id;
  }

  /**
   * Ends the subscription. Returns when no other thread is inside the listener.
   *
   * @throws CkptNotFoundException when it has ended already
   * @throws CkptInvalidStateException when two listeners would wait for each other
   */
  public void unsubscribe() {
    Native.ckpt_memory_tracker_unsubscribe(tracker, id);
  }

  /** Ends the subscription, unless it has ended already. */
  @Override
  public void close() {
    if (tracker.isClosed()) return;
    try {
      unsubscribe();
    } catch (CkptNotFoundException ended) {
      // Ended already.
    }
  }
}
