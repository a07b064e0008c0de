package org.ckpt;

import java.util.Optional;

/** Events that are collected to be polled. */
public final class MemoryEventQueue extends MemorySubscription {
  MemoryEventQueue(MemoryTracker tracker, long id) {
    super(tracker, id);
  }

  /** {@return the oldest event, which is removed; empty when there is none. Never waits} */
  public Optional<MemoryEvent> poll() {
    int[] got = new int[1];
    MemoryEvent event = MemoryEvent.from(struct -> Native.ckpt_memory_tracker_poll_event(tracker, id, struct, got));
    return got[0] == 0 ? Optional.empty() : Optional.of(event);
  }

  /** {@return the number of events that were dropped because this queue was full} */
  public long droppedEvents() {
    return NativeObject.number(out -> Native.ckpt_memory_tracker_get_dropped_events(tracker, id, out));
  }
}
