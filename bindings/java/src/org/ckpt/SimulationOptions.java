package org.ckpt;

/** What a simulation replays. Times are seconds. */
public final class SimulationOptions {
  private String trace;
  private String law;
  private String policies;
  private Long nodes;
  private Long failures;
  private Long replicas;
  private Long seed;
  private Double costSeconds;
  private Double restartSeconds;
  private Double pollSeconds;
  private Long remoteEvery;
  private Double localCostSeconds;
  private Double remoteShare;

  /** All defaults. */
  public SimulationOptions() {}

  /**
   * Seconds between failures, one number a line, # begins a comment; or a law.
   *
   * @param trace the value
   * @return this
   */
  public SimulationOptions trace(String trace) {
    this.trace = trace;
    return this;
  }

  /**
   * "exponential:MTBF" or "weibull:SHAPE:MTBF", of one node; or a trace.
   *
   * @param law the value
   * @return this
   */
  public SimulationOptions law(String law) {
    this.law = law;
    return this;
  }

  /**
   * With commas: auto, threshold, expected-value, young, daly, bayes, bayes:KEEP, weibull, fixed:SECONDS; default: all but
   * fixed.
   *
   * @param policies the value
   * @return this
   */
  public SimulationOptions policies(String policies) {
    this.policies = policies;
    return this;
  }

  /**
   * Of the law; default 1.
   *
   * @param nodes the value
   * @return this
   */
  public SimulationOptions nodes(long nodes) {
    this.nodes = nodes;
    return this;
  }

  /**
   * To draw in each run; default 200.
   *
   * @param failures the value
   * @return this
   */
  public SimulationOptions failures(long failures) {
    this.failures = failures;
    return this;
  }

  /**
   * Runs to draw; default 20.
   *
   * @param replicas the value
   * @return this
   */
  public SimulationOptions replicas(long replicas) {
    this.replicas = replicas;
    return this;
  }

  /**
   * Of all random draws; default 1.
   *
   * @param seed the value
   * @return this
   */
  public SimulationOptions seed(long seed) {
    this.seed = seed;
    return this;
  }

  /**
   * Of a save; default 30.
   *
   * @param costSeconds the value
   * @return this
   */
  public SimulationOptions costSeconds(double costSeconds) {
    this.costSeconds = costSeconds;
    return this;
  }

  /**
   * After a failure; default 300.
   *
   * @param restartSeconds the value
   * @return this
   */
  public SimulationOptions restartSeconds(double restartSeconds) {
    this.restartSeconds = restartSeconds;
    return this;
  }

  /**
   * Between questions; default 30.
   *
   * @param pollSeconds the value
   * @return this
   */
  public SimulationOptions pollSeconds(double pollSeconds) {
    this.pollSeconds = pollSeconds;
    return this;
  }

  /**
   * Each so many-th save is remote; default 1: no levels.
   *
   * @param remoteEvery the value
   * @return this
   */
  public SimulationOptions remoteEvery(long remoteEvery) {
    this.remoteEvery = remoteEvery;
    return this;
  }

  /**
   * Of a local save.
   *
   * @param localCostSeconds the value
   * @return this
   */
  public SimulationOptions localCostSeconds(double localCostSeconds) {
    this.localCostSeconds = localCostSeconds;
    return this;
  }

  /**
   * Of the failures that destroy what is local, 0 .. 1.
   *
   * @param remoteShare the value
   * @return this
   */
  public SimulationOptions remoteShare(double remoteShare) {
    this.remoteShare = remoteShare;
    return this;
  }

  /** Changes what was set; everything else keeps the library's default. */
  void apply(ckpt_simulation_options struct) {
    if (trace != null) struct.setTrace(trace);
    if (law != null) struct.setLaw(law);
    if (policies != null) struct.setPolicies(policies);
    if (nodes != null) struct.setNodes(nodes);
    if (failures != null) struct.setFailures(failures);
    if (replicas != null) struct.setReplicas(replicas);
    if (seed != null) struct.setSeed(seed);
    if (costSeconds != null) struct.setCost_seconds(costSeconds);
    if (restartSeconds != null) struct.setRestart_seconds(restartSeconds);
    if (pollSeconds != null) struct.setPoll_seconds(pollSeconds);
    if (remoteEvery != null) struct.setRemote_every(remoteEvery);
    if (localCostSeconds != null) struct.setLocal_cost_seconds(localCostSeconds);
    if (remoteShare != null) struct.setRemote_share(remoteShare);
  }
}
