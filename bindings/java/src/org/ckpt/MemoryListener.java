package org.ckpt;

/** Notified of a tracker's events. */
@FunctionalInterface
public interface MemoryListener {
  /**
   * Receives one event. Runs on the thread that caused it, before that call returns; several threads may be inside at once.
   * May call any function of the tracker; its own calls cause no further calls of it. Its exceptions are logged and counted in
   * {@link MemoryStats#handlerFailures}; the call that caused the event does not fail.
   *
   * @param event the event
   */
  void onEvent(MemoryEvent event);
}
