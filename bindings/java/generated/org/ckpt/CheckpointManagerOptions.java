// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

import java.lang.ref.Reference;
import java.time.Duration;

/** Options for opening the checkpoints of a storage, and rules for retention. */
public final class CheckpointManagerOptions {
  private boolean readOnly = false;
  private long keepLast = 0L;
  private long keepEvery = 0L;
  private long keepBest = 0L;
  private BestMetric bestMetric = BestMetric.SMALLEST;
  private Coordinator coordinator = null;
  private FaultHandler faultHandler = null;
  private String keepRules = null;
  private Duration timeout = Duration.ofNanos(0L);

  /** All defaults. */
  public CheckpointManagerOptions() {}

  /**
   * False locks the storage for writing; true: no lock, nothing is changed, and saving fails. The same on all ranks. Default:
   * false.
   *
   * @param readOnly the value
   * @return this
   */
  public CheckpointManagerOptions readOnly(boolean readOnly) {
    this.readOnly = readOnly;
    return this;
  }

  /** {@return the value set by {@link #readOnly(boolean)}} */
  public boolean readOnly() {
    return readOnly;
  }

  /**
   * Number of checkpoints to keep after each save, the saved one included; older ones are removed; 0: all are kept. Retention reads
   * manifests, not files: a checkpoint with an unreadable manifest neither counts nor is removed. A checkpoint that a load or
   * verification of this process found damaged does not count, and is removed once it is older than all kept ones; the newest
   * undamaged one is never removed. Directories left by interrupted saves are removed, too, once a checkpoint of the same or a
   * later step is saved. Default: 0.
   *
   * @param keepLast the value
   * @return this
   */
  public CheckpointManagerOptions keepLast(long keepLast) {
    this.keepLast = keepLast;
    return this;
  }

  /** {@return the value set by {@link #keepLast(long)}} */
  public long keepLast() {
    return keepLast;
  }

  /**
   * Checkpoints with a step that is a multiple of this are kept, too (of equal steps the last committed); 0: none. Requires
   * keepLast &gt;= 1. Default: 0.
   *
   * @param keepEvery the value
   * @return this
   */
  public CheckpointManagerOptions keepEvery(long keepEvery) {
    this.keepEvery = keepEvery;
    return this;
  }

  /** {@return the value set by {@link #keepEvery(long)}} */
  public long keepEvery() {
    return keepEvery;
  }

  /**
   * Number of checkpoints with the best metric that are kept, too, of equal ones the newest; 0: none. Requires keepLast &gt;= 1.
   * Default: 0.
   *
   * @param keepBest the value
   * @return this
   */
  public CheckpointManagerOptions keepBest(long keepBest) {
    this.keepBest = keepBest;
    return this;
  }

  /** {@return the value set by {@link #keepBest(long)}} */
  public long keepBest() {
    return keepBest;
  }

  /**
   * Which metric is the best: {@link BestMetric#SMALLEST} or {@link BestMetric#LARGEST}. Default: {@link BestMetric#SMALLEST}.
   *
   * @param bestMetric the value
   * @return this
   */
  public CheckpointManagerOptions bestMetric(BestMetric bestMetric) {
    this.bestMetric = bestMetric;
    return this;
  }

  /** {@return the value set by {@link #bestMetric(BestMetric)}} */
  public BestMetric bestMetric() {
    return bestMetric;
  }

  /**
   * Coordinator of the processes of the run; kept alive; null: a single process.
   *
   * @param coordinator the value
   * @return this
   */
  public CheckpointManagerOptions coordinator(Coordinator coordinator) {
    this.coordinator = coordinator;
    return this;
  }

  /** {@return the value set by {@link #coordinator(Coordinator)}} */
  public Coordinator coordinator() {
    return coordinator;
  }

  /**
   * Decides which errors of the storage are retried; kept alive; null: a handler with default options. Set one with maxAttempts 1
   * to disable retries, also for a storage that retries by itself: the attempts would multiply.
   *
   * @param faultHandler the value
   * @return this
   */
  public CheckpointManagerOptions faultHandler(FaultHandler faultHandler) {
    this.faultHandler = faultHandler;
    return this;
  }

  /** {@return the value set by {@link #faultHandler(FaultHandler)}} */
  public FaultHandler faultHandler() {
    return faultHandler;
  }

  /**
   * Retention rules, separated by commas. After every save older checkpoints are removed, except those that a rule, keep, keepLast,
   * keepEvery or keepBest keeps, those that are pinned, and the newest valid one. "last:COUNT": the newest ones; "every:STEPS":
   * those with a step that is a multiple; "best:COUNT" (as bestMetric specifies), "best:COUNT:min" and "best:COUNT:max": those with
   * the best metric; "newer:AGE": those with an age below this, in seconds, or with s, m, h, d or w after the number, and those of
   * unknown age. For example "last:3, every:100, best:2:max, newer:24h". Null or empty: no rules. Damaged and unreadable
   * checkpoints are treated as for keepLast.
   *
   * @param keepRules the value
   * @return this
   */
  public CheckpointManagerOptions keepRules(String keepRules) {
    this.keepRules = keepRules;
    return this;
  }

  /** {@return the value set by {@link #keepRules(String)}} */
  public String keepRules() {
    return keepRules;
  }

  /**
   * Maximum time for which one call, or the writing of one background save, waits for the other ranks of a coordinator of several
   * processes; 0: ten minutes. Default: 0.
   *
   * @param timeout the value
   * @return this
   */
  public CheckpointManagerOptions timeout(Duration timeout) {
    this.timeout = timeout;
    return this;
  }

  /** {@return the value set by {@link #timeout(Duration)}} */
  public Duration timeout() {
    return timeout;
  }

  /** Calls with these values, and keeps them alive during the call. */
  void with(NativeObject.Into<ckpt_checkpoint_manager_options> call) {
    try (ckpt_checkpoint_manager_options struct = new ckpt_checkpoint_manager_options()) {
      struct.setRead_only(readOnly ? 1 : 0);
      struct.setKeep_last(keepLast);
      struct.setKeep_every(keepEvery);
      struct.setKeep_best(keepBest);
      struct.setBest_metric(bestMetric.number());
      if (coordinator != null) struct.setCoordinator(coordinator);
      if (faultHandler != null) struct.setFault_handler(faultHandler);
      if (keepRules != null) struct.setKeep_rules(keepRules);
      struct.setTimeout_ns(NativeObject.nanoseconds(timeout));
      call.call(struct);
    } finally {
      Reference.reachabilityFence(this);
    }
  }
}
