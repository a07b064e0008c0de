package org.ckpt;

/** How a controller decides. Times are seconds. */
public final class ControllerOptions {
  private Policy policy;
  private Double mtbfSeconds;
  private Double intervalSeconds;
  private Double keep;
  private Double initialCostSeconds;
  private Double firstSeconds;
  private Double pollSeconds;
  private Double minIntervalSeconds;
  private Double maxIntervalSeconds;
  private Double maxOverheadShare;
  private Long budgetSaves;
  private Double budgetWindowSeconds;
  private Double threshold;
  private Double thresholdLearningRate;
  private Long thresholdBudget;
  private Clock clock;

  /** All defaults. */
  public ControllerOptions() {}

  /**
   * Default AUTO.
   *
   * @param policy the value
   * @return this
   */
  public ControllerOptions policy(Policy policy) {
    this.policy = policy;
    return this;
  }

  /**
   * For YOUNG and DALY, above 0.
   *
   * @param mtbfSeconds the value
   * @return this
   */
  public ControllerOptions mtbfSeconds(double mtbfSeconds) {
    this.mtbfSeconds = mtbfSeconds;
    return this;
  }

  /**
   * For FIXED, above 0.
   *
   * @param intervalSeconds the value
   * @return this
   */
  public ControllerOptions intervalSeconds(double intervalSeconds) {
    this.intervalSeconds = intervalSeconds;
    return this;
  }

  /**
   * For BAYES and EXPECTED_VALUE: share of what is known that each failure leaves; default 1: nothing is forgotten.
   *
   * @param keep the value
   * @return this
   */
  public ControllerOptions keep(double keep) {
    this.keep = keep;
    return this;
  }

  /**
   * What a save costs, until one was measured; 0, the default: unknown.
   *
   * @param initialCostSeconds the value
   * @return this
   */
  public ControllerOptions initialCostSeconds(double initialCostSeconds) {
    this.initialCostSeconds = initialCostSeconds;
    return this;
  }

  /**
   * When that is unknown the first save comes no later; default 600.
   *
   * @param firstSeconds the value
   * @return this
   */
  public ControllerOptions firstSeconds(double firstSeconds) {
    this.firstSeconds = firstSeconds;
    return this;
  }

  /**
   * Between two questions; 0, the default: as long as observed tasks last on average.
   *
   * @param pollSeconds the value
   * @return this
   */
  public ControllerOptions pollSeconds(double pollSeconds) {
    this.pollSeconds = pollSeconds;
    return this;
  }

  /**
   * Default 0.
   *
   * @param minIntervalSeconds the value
   * @return this
   */
  public ControllerOptions minIntervalSeconds(double minIntervalSeconds) {
    this.minIntervalSeconds = minIntervalSeconds;
    return this;
  }

  /**
   * Default 0: no maximum.
   *
   * @param maxIntervalSeconds the value
   * @return this
   */
  public ControllerOptions maxIntervalSeconds(double maxIntervalSeconds) {
    this.maxIntervalSeconds = maxIntervalSeconds;
    return this;
  }

  /**
   * Of the time that saves may take, above 0, at most 1; default 1.
   *
   * @param maxOverheadShare the value
   * @return this
   */
  public ControllerOptions maxOverheadShare(double maxOverheadShare) {
    this.maxOverheadShare = maxOverheadShare;
    return this;
  }

  /**
   * In each window; default: no limit.
   *
   * @param budgetSaves the value
   * @return this
   */
  public ControllerOptions budgetSaves(long budgetSaves) {
    this.budgetSaves = budgetSaves;
    return this;
  }

  /**
   * Default 0: one window for the whole run.
   *
   * @param budgetWindowSeconds the value
   * @return this
   */
  public ControllerOptions budgetWindowSeconds(double budgetWindowSeconds) {
    this.budgetWindowSeconds = budgetWindowSeconds;
    return this;
  }

  /**
   * For THRESHOLD; default 0.35.
   *
   * @param threshold the value
   * @return this
   */
  public ControllerOptions threshold(double threshold) {
    this.threshold = threshold;
    return this;
  }

  /**
   * Default 0.1.
   *
   * @param thresholdLearningRate the value
   * @return this
   */
  public ControllerOptions thresholdLearningRate(double thresholdLearningRate) {
    this.thresholdLearningRate = thresholdLearningRate;
    return this;
  }

  /**
   * Default 3.
   *
   * @param thresholdBudget the value
   * @return this
   */
  public ControllerOptions thresholdBudget(long thresholdBudget) {
    this.thresholdBudget = thresholdBudget;
    return this;
  }

  /**
   * For Controller.now; default: the monotonic clock.
   *
   * @param clock the value
   * @return this
   */
  public ControllerOptions clock(Clock clock) {
    this.clock = clock;
    return this;
  }

  /** Changes what was set; everything else keeps the library's default. */
  void apply(ckpt_controller_options struct) {
    if (policy != null) struct.setPolicy(policy.number());
    if (mtbfSeconds != null) struct.setMtbf_seconds(mtbfSeconds);
    if (intervalSeconds != null) struct.setInterval_seconds(intervalSeconds);
    if (keep != null) struct.setKeep(keep);
    if (initialCostSeconds != null) struct.setInitial_cost_seconds(initialCostSeconds);
    if (firstSeconds != null) struct.setFirst_seconds(firstSeconds);
    if (pollSeconds != null) struct.setPoll_seconds(pollSeconds);
    if (minIntervalSeconds != null) struct.setMin_interval_seconds(minIntervalSeconds);
    if (maxIntervalSeconds != null) struct.setMax_interval_seconds(maxIntervalSeconds);
    if (maxOverheadShare != null) struct.setMax_overhead_share(maxOverheadShare);
    if (budgetSaves != null) struct.setBudget_saves(budgetSaves);
    if (budgetWindowSeconds != null) struct.setBudget_window_seconds(budgetWindowSeconds);
    if (threshold != null) struct.setThreshold(threshold);
    if (thresholdLearningRate != null) struct.setThreshold_learning_rate(thresholdLearningRate);
    if (thresholdBudget != null) struct.setThreshold_budget(thresholdBudget);
    if (clock != null) struct.setClock(clock);
  }
}
