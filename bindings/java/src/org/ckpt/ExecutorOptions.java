package org.ckpt;

/** What an executor works with. */
public final class ExecutorOptions {
  private Long budgetBytes;
  private ThreadPool pool;
  private MemoryTracker tracker;
  private Follower follower;

  /** All defaults. */
  public ExecutorOptions() {}

  /**
   * Refuses a schedule that reserves more; 0, the default: no budget.
   *
   * @param budgetBytes the value
   * @return this
   */
  public ExecutorOptions budgetBytes(long budgetBytes) {
    this.budgetBytes = budgetBytes;
    return this;
  }

  /**
   * Its threads; default: a pool of Ckpt.availableThreads().
   *
   * @param pool the value
   * @return this
   */
  public ExecutorOptions pool(ThreadPool pool) {
    this.pool = pool;
    return this;
  }

  /**
   * Learns of every buffer under its layer's name; default: one of its own.
   *
   * @param tracker the value
   * @return this
   */
  public ExecutorOptions tracker(MemoryTracker tracker) {
    this.tracker = tracker;
    return this;
  }

  /**
   * Its strategy learns which layers run, and of the live bytes; default: none does.
   *
   * @param follower the value
   * @return this
   */
  public ExecutorOptions follower(Follower follower) {
    this.follower = follower;
    return this;
  }

  /** Changes what was set; everything else keeps the library's default. */
  void apply(ckpt_schedule_executor_options struct) {
    if (budgetBytes != null) struct.setBudget_bytes(budgetBytes);
    if (pool != null) struct.setPool(pool);
    if (tracker != null) struct.setTracker(tracker);
    if (follower != null) struct.setFollower(follower);
  }
}
