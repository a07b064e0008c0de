package org.ckpt;

/** An open scope of a tracker: try (MemoryScope scope = tracker.scope("forward")) {...}. Scopes close in reverse order. */
public final class MemoryScope implements AutoCloseable {
  private final MemoryTracker tracker;
  private final long id;
  private ScopeStats last;

  MemoryScope(MemoryTracker tracker, long id) {
    this.tracker = tracker;
    this.id = id;
  }

  /**
   * What has happened in it, up to now or up to its end.
   *
   * @return the numbers
   */
  public ScopeStats stats() {
    if (last != null) return last;
    try (ckpt_memory_scope_stats struct = new ckpt_memory_scope_stats()) {
      Native.ckpt_memory_tracker_get_scope_stats(tracker, id, struct);
      return ScopeStats.of(struct);
    }
  }

  /**
   * Closes the scope.
   *
   * @return what happened in it
   * @throws InvalidStateException when it is not the innermost one
   */
  public ScopeStats pop() {
    try (ckpt_memory_scope_stats struct = new ckpt_memory_scope_stats()) {
      Native.ckpt_memory_tracker_pop_scope(tracker, id, struct);
      last = ScopeStats.of(struct);
      return last;
    }
  }

  /** Closes the scope unless it was popped. */
  @Override
  public void close() {
    if (last == null) pop();
  }
}
