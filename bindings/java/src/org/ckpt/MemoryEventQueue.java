package org.ckpt;

import java.util.Optional;

/** Events that are collected to be polled. */
public final class MemoryEventQueue extends MemorySubscription {
  MemoryEventQueue(MemoryTracker tracker, long id) {
    super(tracker, id);
  }

  /**
   * Takes the oldest event. Never waits.
   *
   * @return empty when there is none
   */
  public Optional<MemoryEvent> poll() {
    int[] got = new int[1];
    MemoryEvent event = MemoryEvent.from(struct -> Native.ckpt_memory_tracker_poll_event(tracker, id, struct, got));
    return got[0] == 0 ? Optional.empty() : Optional.of(event);
  }

  /**
   * How many events found this queue full.
   *
   * @return since it was made
   */
  public long droppedEvents() {
    return NativeObject.number(out -> Native.ckpt_memory_tracker_get_dropped_events(tracker, id, out));
  }
}
