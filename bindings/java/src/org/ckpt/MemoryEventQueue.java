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
    try (ckpt_memory_event e = new ckpt_memory_event()) {
      if (!NativeObject.truth(out -> Native.ckpt_memory_tracker_poll_event(tracker, id, e, out))) return Optional.empty();
      return Optional.of(
          new MemoryEvent(
              MemoryEventKind.of(e.getKind()), e.getSequence(), e.getAllocation(), e.getBytes(), e.getCurrent_bytes(),
              e.getPeak_bytes(), e.getLimit_bytes(), e.getTime_ns(), e.getLayer_name(), e.getLayer()));
    }
  }

  /**
   * How many events found this queue full.
   *
   * @return since it was made
   */
  public long dropped() {
    return NativeObject.number(out -> Native.ckpt_memory_tracker_get_dropped_events(tracker, id, out));
  }
}
