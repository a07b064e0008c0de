// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

import java.lang.ref.Reference;

/** Options for creating a controller. */
public final class ControllerOptions {
  private Policy policy = Policy.AUTO;
  private double mtbfSeconds = 0;
  private double intervalSeconds = 0;
  private double keep = 1;
  private double initialCostSeconds = 0;
  private double firstSeconds = 600;
  private double pollSeconds = 0;
  private double minIntervalSeconds = 0;
  private double maxIntervalSeconds = 0;
  private double maxOverheadShare = 1;
  private long budgetSaves = 0L;
  private double budgetWindowSeconds = 0;
  private double threshold = 0.35;
  private double thresholdLearningRate = 0.1;
  private long thresholdBudget = 3L;
  private Clock clock = null;

  /** All defaults. */
  public ControllerOptions() {}

  /**
   * Policy that decides about saves. Default: {@link Policy#AUTO}.
   *
   * @param policy the value
   * @return this
   */
  public ControllerOptions policy(Policy policy) {
    this.policy = policy;
    return this;
  }

  /** {@return the value set by {@link #policy(Policy)}} */
  public Policy policy() {
    return policy;
  }

  /**
   * For {@link Policy#YOUNG} and {@link Policy#DALY}: mean time between failures in seconds, &gt; 0. Default: 0.
   *
   * @param mtbfSeconds the value
   * @return this
   */
  public ControllerOptions mtbfSeconds(double mtbfSeconds) {
    this.mtbfSeconds = mtbfSeconds;
    return this;
  }

  /** {@return the value set by {@link #mtbfSeconds(double)}} */
  public double mtbfSeconds() {
    return mtbfSeconds;
  }

  /**
   * For {@link Policy#FIXED}: interval between saves in seconds, &gt; 0. Default: 0.
   *
   * @param intervalSeconds the value
   * @return this
   */
  public ControllerOptions intervalSeconds(double intervalSeconds) {
    this.intervalSeconds = intervalSeconds;
    return this;
  }

  /** {@return the value set by {@link #intervalSeconds(double)}} */
  public double intervalSeconds() {
    return intervalSeconds;
  }

  /**
   * For {@link Policy#BAYES} and {@link Policy#EXPECTED_VALUE}: factor by which each failure discounts earlier observations, &gt;
   * 0, &lt;= 1; 1: no discount. Default: 1.
   *
   * @param keep the value
   * @return this
   */
  public ControllerOptions keep(double keep) {
    this.keep = keep;
    return this;
  }

  /** {@return the value set by {@link #keep(double)}} */
  public double keep() {
    return keep;
  }

  /**
   * Cost of a save in seconds until one was measured; 0: unknown. Default: 0.
   *
   * @param initialCostSeconds the value
   * @return this
   */
  public ControllerOptions initialCostSeconds(double initialCostSeconds) {
    this.initialCostSeconds = initialCostSeconds;
    return this;
  }

  /** {@return the value set by {@link #initialCostSeconds(double)}} */
  public double initialCostSeconds() {
    return initialCostSeconds;
  }

  /**
   * If the cost of a save is unknown, latest time of the first save in seconds, to measure it. Default: 600.
   *
   * @param firstSeconds the value
   * @return this
   */
  public ControllerOptions firstSeconds(double firstSeconds) {
    this.firstSeconds = firstSeconds;
    return this;
  }

  /** {@return the value set by {@link #firstSeconds(double)}} */
  public double firstSeconds() {
    return firstSeconds;
  }

  /**
   * Seconds between two polls; 0: the mean duration of observed tasks. A save is requested at the poll nearest to the target.
   * Default: 0.
   *
   * @param pollSeconds the value
   * @return this
   */
  public ControllerOptions pollSeconds(double pollSeconds) {
    this.pollSeconds = pollSeconds;
    return this;
  }

  /** {@return the value set by {@link #pollSeconds(double)}} */
  public double pollSeconds() {
    return pollSeconds;
  }

  /**
   * Shortest interval between saves in seconds, &gt;= 0. Default: 0.
   *
   * @param minIntervalSeconds the value
   * @return this
   */
  public ControllerOptions minIntervalSeconds(double minIntervalSeconds) {
    this.minIntervalSeconds = minIntervalSeconds;
    return this;
  }

  /** {@return the value set by {@link #minIntervalSeconds(double)}} */
  public double minIntervalSeconds() {
    return minIntervalSeconds;
  }

  /**
   * Longest interval between saves in seconds; 0: no maximum. Default: 0.
   *
   * @param maxIntervalSeconds the value
   * @return this
   */
  public ControllerOptions maxIntervalSeconds(double maxIntervalSeconds) {
    this.maxIntervalSeconds = maxIntervalSeconds;
    return this;
  }

  /** {@return the value set by {@link #maxIntervalSeconds(double)}} */
  public double maxIntervalSeconds() {
    return maxIntervalSeconds;
  }

  /**
   * Share of the time that saves may take, &gt; 0, &lt;= 1. Takes precedence over maxIntervalSeconds. Default: 1.
   *
   * @param maxOverheadShare the value
   * @return this
   */
  public ControllerOptions maxOverheadShare(double maxOverheadShare) {
    this.maxOverheadShare = maxOverheadShare;
    return this;
  }

  /** {@return the value set by {@link #maxOverheadShare(double)}} */
  public double maxOverheadShare() {
    return maxOverheadShare;
  }

  /**
   * Maximum number of saves in each window, &gt;= 0; 0: no limit. Default: 0.
   *
   * @param budgetSaves the value
   * @return this
   */
  public ControllerOptions budgetSaves(long budgetSaves) {
    this.budgetSaves = budgetSaves;
    return this;
  }

  /** {@return the value set by {@link #budgetSaves(long)}} */
  public long budgetSaves() {
    return budgetSaves;
  }

  /**
   * Length of the consecutive windows in seconds, from the begin of the run; 0: one window for the whole run. Default: 0.
   *
   * @param budgetWindowSeconds the value
   * @return this
   */
  public ControllerOptions budgetWindowSeconds(double budgetWindowSeconds) {
    this.budgetWindowSeconds = budgetWindowSeconds;
    return this;
  }

  /** {@return the value set by {@link #budgetWindowSeconds(double)}} */
  public double budgetWindowSeconds() {
    return budgetWindowSeconds;
  }

  /**
   * For {@link Policy#THRESHOLD}: initial threshold, a share of the longest task, 0.05 .. 1. Default: 0.35.
   *
   * @param threshold the value
   * @return this
   */
  public ControllerOptions threshold(double threshold) {
    this.threshold = threshold;
    return this;
  }

  /** {@return the value set by {@link #threshold(double)}} */
  public double threshold() {
    return threshold;
  }

  /**
   * For {@link Policy#THRESHOLD}: maximum change of the threshold by one recovery, &gt; 0, &lt;= 1. Default: 0.1.
   *
   * @param thresholdLearningRate the value
   * @return this
   */
  public ControllerOptions thresholdLearningRate(double thresholdLearningRate) {
    this.thresholdLearningRate = thresholdLearningRate;
    return this;
  }

  /** {@return the value set by {@link #thresholdLearningRate(double)}} */
  public double thresholdLearningRate() {
    return thresholdLearningRate;
  }

  /**
   * For {@link Policy#THRESHOLD}: number of checkpoints of a run, &gt;= 0. Default: 3.
   *
   * @param thresholdBudget the value
   * @return this
   */
  public ControllerOptions thresholdBudget(long thresholdBudget) {
    this.thresholdBudget = thresholdBudget;
    return this;
  }

  /** {@return the value set by {@link #thresholdBudget(long)}} */
  public long thresholdBudget() {
    return thresholdBudget;
  }

  /**
   * Clock of {@code Controller.now}; kept alive; null: the monotonic clock.
   *
   * @param clock the value
   * @return this
   */
  public ControllerOptions clock(Clock clock) {
    this.clock = clock;
    return this;
  }

  /** {@return the value set by {@link #clock(Clock)}} */
  public Clock clock() {
    return clock;
  }

  /** Calls with these values, and keeps them alive during the call. */
  void with(NativeObject.Into<ckpt_controller_options> call) {
    try (ckpt_controller_options struct = new ckpt_controller_options()) {
      struct.setPolicy(policy.number());
      struct.setMtbf_seconds(mtbfSeconds);
      struct.setInterval_seconds(intervalSeconds);
      struct.setKeep(keep);
      struct.setInitial_cost_seconds(initialCostSeconds);
      struct.setFirst_seconds(firstSeconds);
      struct.setPoll_seconds(pollSeconds);
      struct.setMin_interval_seconds(minIntervalSeconds);
      struct.setMax_interval_seconds(maxIntervalSeconds);
      struct.setMax_overhead_share(maxOverheadShare);
      struct.setBudget_saves(budgetSaves);
      struct.setBudget_window_seconds(budgetWindowSeconds);
      struct.setThreshold(threshold);
      struct.setThreshold_learning_rate(thresholdLearningRate);
      struct.setThreshold_budget(thresholdBudget);
      if (clock != null) struct.setClock(clock);
      call.call(struct);
    } finally {
      Reference.reachabilityFence(this);
    }
  }
}
