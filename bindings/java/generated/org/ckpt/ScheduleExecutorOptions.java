// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

import java.lang.ref.Reference;

/** Options for creating an executor. */
public final class ScheduleExecutorOptions {
  private long budgetBytes = 0L;
  private WorkerPool pool = null;
  private MemoryTracker tracker = null;
  private Follower follower = null;
  private RecomputeCheck recomputeCheck = RecomputeCheck.NONE;
  private boolean checkWrites = false;
  private Storage tier1Storage = null;
  private Storage tier2Storage = null;
  private Storage tier3Storage = null;
  private boolean checkFinite = false;

  /** All defaults. */
  public ScheduleExecutorOptions() {}

  /**
   * A schedule that reserves more bytes is refused with {@link Status#OVER_BUDGET}; 0: no budget. Default: 0.
   *
   * @param budgetBytes the value
   * @return this
   */
  public ScheduleExecutorOptions budgetBytes(long budgetBytes) {
    this.budgetBytes = budgetBytes;
    return this;
  }

  /** {@return the value set by {@link #budgetBytes(long)}} */
  public long budgetBytes() {
    return budgetBytes;
  }

  /**
   * Threads that the executor uses; kept alive; null: a new pool with as many threads as the process may use.
   *
   * @param pool the value
   * @return this
   */
  public ScheduleExecutorOptions pool(WorkerPool pool) {
    this.pool = pool;
    return this;
  }

  /** {@return the value set by {@link #pool(WorkerPool)}} */
  public WorkerPool pool() {
    return pool;
  }

  /**
   * Tracker that counts every buffer under its layer's name; kept alive; null: a new one.
   *
   * @param tracker the value
   * @return this
   */
  public ScheduleExecutorOptions tracker(MemoryTracker tracker) {
    this.tracker = tracker;
    return this;
  }

  /** {@return the value set by {@link #tracker(MemoryTracker)}} */
  public MemoryTracker tracker() {
    return tracker;
  }

  /**
   * Follower with a strategy that is notified of layers that run and of live bytes; null: none.
   *
   * @param follower the value
   * @return this
   */
  public ScheduleExecutorOptions follower(Follower follower) {
    this.follower = follower;
    return this;
  }

  /** {@return the value set by {@link #follower(Follower)}} */
  public Follower follower() {
    return follower;
  }

  /**
   * Check of recomputed forwards: one of {@link RecomputeCheck}. A difference fails the step with {@link Status#CORRUPT}; the
   * message names the layer and the micro-batch. A RECORD without output is not checked. Default: {@link RecomputeCheck#NONE}.
   *
   * @param recomputeCheck the value
   * @return this
   */
  public ScheduleExecutorOptions recomputeCheck(RecomputeCheck recomputeCheck) {
    this.recomputeCheck = recomputeCheck;
    return this;
  }

  /** {@return the value set by {@link #recomputeCheck(RecomputeCheck)}} */
  public RecomputeCheck recomputeCheck() {
    return recomputeCheck;
  }

  /**
   * True: after every run of a layer all bytes of the arena that it must not write are compared with their state before, and a
   * change fails the step with {@link Status#CORRUPT}; the message names the layer; each run of a layer takes longer; false: no
   * check. Default: false.
   *
   * @param checkWrites the value
   * @return this
   */
  public ScheduleExecutorOptions checkWrites(boolean checkWrites) {
    this.checkWrites = checkWrites;
    return this;
  }

  /** {@return the value set by {@link #checkWrites(boolean)}} */
  public boolean checkWrites() {
    return checkWrites;
  }

  /**
   * Storage for the items of tier 1: a file that only this executor can access, or memory, written while layers run; kept alive;
   * null: memory of the executor, each item copied synchronously.
   *
   * @param tier1Storage the value
   * @return this
   */
  public ScheduleExecutorOptions tier1Storage(Storage tier1Storage) {
    this.tier1Storage = tier1Storage;
    return this;
  }

  /** {@return the value set by {@link #tier1Storage(Storage)}} */
  public Storage tier1Storage() {
    return tier1Storage;
  }

  /**
   * Storage for the items of tier 2; kept alive; null: memory, each item copied synchronously.
   *
   * @param tier2Storage the value
   * @return this
   */
  public ScheduleExecutorOptions tier2Storage(Storage tier2Storage) {
    this.tier2Storage = tier2Storage;
    return this;
  }

  /** {@return the value set by {@link #tier2Storage(Storage)}} */
  public Storage tier2Storage() {
    return tier2Storage;
  }

  /**
   * Storage for the items of tier 3; kept alive; null: memory, each item copied synchronously.
   *
   * @param tier3Storage the value
   * @return this
   */
  public ScheduleExecutorOptions tier3Storage(Storage tier3Storage) {
    this.tier3Storage = tier3Storage;
    return this;
  }

  /** {@return the value set by {@link #tier3Storage(Storage)}} */
  public Storage tier3Storage() {
    return tier3Storage;
  }

  /**
   * True: a layer's output of F32 or F64 that is not finite fails the step with {@link Status#OUT_OF_RANGE}; the message names the
   * first such layer, the element and its value; each forward reads its output once more; false: only the loss is checked. Default:
   * false.
   *
   * @param checkFinite the value
   * @return this
   */
  public ScheduleExecutorOptions checkFinite(boolean checkFinite) {
    this.checkFinite = checkFinite;
    return this;
  }

  /** {@return the value set by {@link #checkFinite(boolean)}} */
  public boolean checkFinite() {
    return checkFinite;
  }

  /** Calls with these values, and keeps them alive during the call. */
  void with(NativeObject.Into<ckpt_schedule_executor_options> call) {
    try (ckpt_schedule_executor_options struct = new ckpt_schedule_executor_options()) {
      struct.setBudget_bytes(budgetBytes);
      if (pool != null) struct.setPool(pool);
      if (tracker != null) struct.setTracker(tracker);
      if (follower != null) struct.setFollower(follower);
      struct.setRecompute_check(recomputeCheck.number());
      struct.setCheck_writes(checkWrites ? 1 : 0);
      if (tier1Storage != null) struct.setTier1_storage(tier1Storage);
      if (tier2Storage != null) struct.setTier2_storage(tier2Storage);
      if (tier3Storage != null) struct.setTier3_storage(tier3Storage);
      struct.setCheck_finite(checkFinite ? 1 : 0);
      call.call(struct);
    } finally {
      Reference.reachabilityFence(this);
    }
  }
}
