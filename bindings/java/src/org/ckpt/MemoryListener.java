package org.ckpt;

/** Notified of a tracker's events. */
@FunctionalInterface
public interface MemoryListener {
  /**
   * One event. Runs on the thread whose call caused it, before that call returns; several threads may be inside at once. May call
   * any function of the tracker; it is not called for what it does itself. What it throws is logged and counted in
   * {@link MemoryStats#handlerFailures}; the call that caused the event does not see it.
   *
   * @param event what happened
   */
  void onEvent(MemoryEvent event);
}
