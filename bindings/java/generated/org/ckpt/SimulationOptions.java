// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

import java.lang.ref.Reference;
import java.time.Duration;

/** Options of a simulation: failures to replay, and policies. */
public final class SimulationOptions {
  private String trace = null;
  private String law = null;
  private String policies = null;
  private long nodes = 1L;
  private long failures = 200L;
  private long replicas = 20L;
  private long seed = 1L;
  private double costSeconds = 30;
  private double restartSeconds = 300;
  private double pollSeconds = 30;
  private long remoteEvery = 1L;
  private double localCostSeconds = 0;
  private double remoteShare = 0;

  /** All defaults. */
  public SimulationOptions() {}

  /**
   * Text with the seconds between failures, one number per line, # begins a comment; null: a distribution is used.
   *
   * @param trace the value
   * @return this
   */
  public SimulationOptions trace(String trace) {
    this.trace = trace;
    return this;
  }

  /** {@return the value set by {@link #trace(String)}} */
  public String trace() {
    return trace;
  }

  /**
   * Distribution of the failures of one node, in seconds: "exponential:MTBF" or "weibull:SHAPE:MTBF"; null: a trace is used.
   *
   * @param law the value
   * @return this
   */
  public SimulationOptions law(String law) {
    this.law = law;
    return this;
  }

  /** {@return the value set by {@link #law(String)}} */
  public String law() {
    return law;
  }

  /**
   * The policies, separated by commas: auto, threshold, expected-value, young, daly (both with the true MTBF), bayes, bayes:KEEP,
   * weibull, fixed:SECONDS; null: all but fixed.
   *
   * @param policies the value
   * @return this
   */
  public SimulationOptions policies(String policies) {
    this.policies = policies;
    return this;
  }

  /** {@return the value set by {@link #policies(String)}} */
  public String policies() {
    return policies;
  }

  /**
   * Number of nodes: they fail independently, and each failure stops all; 1 .. 1000000. Default: 1.
   *
   * @param nodes the value
   * @return this
   */
  public SimulationOptions nodes(long nodes) {
    this.nodes = nodes;
    return this;
  }

  /** {@return the value set by {@link #nodes(long)}} */
  public long nodes() {
    return nodes;
  }

  /**
   * Number of failures to draw in each run, 1 .. 1000000. Default: 200.
   *
   * @param failures the value
   * @return this
   */
  public SimulationOptions failures(long failures) {
    this.failures = failures;
    return this;
  }

  /** {@return the value set by {@link #failures(long)}} */
  public long failures() {
    return failures;
  }

  /**
   * Number of runs to draw, 1 .. 100000. Default: 20.
   *
   * @param replicas the value
   * @return this
   */
  public SimulationOptions replicas(long replicas) {
    this.replicas = replicas;
    return this;
  }

  /** {@return the value set by {@link #replicas(long)}} */
  public long replicas() {
    return replicas;
  }

  /**
   * Seed of all random draws (64 bits without a sign). Default: 1.
   *
   * @param seed the value
   * @return this
   */
  public SimulationOptions seed(long seed) {
    this.seed = seed;
    return this;
  }

  /** {@return the value set by {@link #seed(long)}} */
  public long seed() {
    return seed;
  }

  /**
   * Cost of a save in seconds, &gt; 0. Default: 30.
   *
   * @param costSeconds the value
   * @return this
   */
  public SimulationOptions costSeconds(double costSeconds) {
    this.costSeconds = costSeconds;
    return this;
  }

  /** {@return the value set by {@link #costSeconds(double)}} */
  public double costSeconds() {
    return costSeconds;
  }

  /**
   * Duration of a restart after a failure, in seconds, &gt;= 0. Default: 300.
   *
   * @param restartSeconds the value
   * @return this
   */
  public SimulationOptions restartSeconds(double restartSeconds) {
    this.restartSeconds = restartSeconds;
    return this;
  }

  /** {@return the value set by {@link #restartSeconds(double)}} */
  public double restartSeconds() {
    return restartSeconds;
  }

  /**
   * Seconds between polls, &gt; 0. Default: 30.
   *
   * @param pollSeconds the value
   * @return this
   */
  public SimulationOptions pollSeconds(double pollSeconds) {
    this.pollSeconds = pollSeconds;
    return this;
  }

  /** {@return the value set by {@link #pollSeconds(double)}} */
  public double pollSeconds() {
    return pollSeconds;
  }

  /**
   * N, where every n-th save is remote and costs costSeconds, and the others are local; &gt;= 1; 1: all are remote. Default: 1.
   *
   * @param remoteEvery the value
   * @return this
   */
  public SimulationOptions remoteEvery(long remoteEvery) {
    this.remoteEvery = remoteEvery;
    return this;
  }

  /** {@return the value set by {@link #remoteEvery(long)}} */
  public long remoteEvery() {
    return remoteEvery;
  }

  /**
   * Cost of a local save in seconds, &gt; 0 if saves are local. Default: 0.
   *
   * @param localCostSeconds the value
   * @return this
   */
  public SimulationOptions localCostSeconds(double localCostSeconds) {
    this.localCostSeconds = localCostSeconds;
    return this;
  }

  /** {@return the value set by {@link #localCostSeconds(double)}} */
  public double localCostSeconds() {
    return localCostSeconds;
  }

  /**
   * Share of the failures that destroy local saves, 0 .. 1. Default: 0.
   *
   * @param remoteShare the value
   * @return this
   */
  public SimulationOptions remoteShare(double remoteShare) {
    this.remoteShare = remoteShare;
    return this;
  }

  /** {@return the value set by {@link #remoteShare(double)}} */
  public double remoteShare() {
    return remoteShare;
  }

  /** Calls with these values, and keeps them alive during the call. */
  void with(NativeObject.Into<ckpt_simulation_options> call) {
    try (ckpt_simulation_options struct = new ckpt_simulation_options()) {
      if (trace != null) struct.setTrace(trace);
      if (law != null) struct.setLaw(law);
      if (policies != null) struct.setPolicies(policies);
      struct.setNodes(nodes);
      struct.setFailures(failures);
      struct.setReplicas(replicas);
      struct.setSeed(seed);
      struct.setCost_seconds(costSeconds);
      struct.setRestart_seconds(restartSeconds);
      struct.setPoll_seconds(pollSeconds);
      struct.setRemote_every(remoteEvery);
      struct.setLocal_cost_seconds(localCostSeconds);
      struct.setRemote_share(remoteShare);
      call.call(struct);
    } finally {
      Reference.reachabilityFence(this);
    }
  }
}
