package org.ckpt;

/** An open scope of a tracker: try (MemoryScope scope = tracker.scope("forward")) {...}. Scopes close in reverse order. */
public final class MemoryScope implements AutoCloseable {
  private final MemoryTracker tracker;
  private final long id;
  private MemoryScopeStats last;

  MemoryScope(MemoryTracker tracker, long id) {
    this.tracker = tracker;
    this.id = id;
  }

  /** {@return the statistics of the scope, up to now or up to its end} */
  public MemoryScopeStats stats() {
    if (last != null) return last;
    return MemoryScopeStats.from(struct -> Native.ckpt_memory_tracker_get_scope_stats(tracker, id, struct));
  }

  /**
   * Closes the scope.
   *
   * @return the statistics of the scope
   * @throws CkptInvalidStateException when it is not the innermost one
   */
  public MemoryScopeStats pop() {
    last = MemoryScopeStats.from(struct -> Native.ckpt_memory_tracker_pop_scope(tracker, id, struct));
    return last;
  }

  /** Closes the scope unless it was popped. */
  @Override
  public void close() {
    if (last == null) pop();
  }
}
