// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

import java.lang.ref.Reference;
import java.util.OptionalDouble;

/** Options of one save. */
public final class SaveOptions {
  private long step = 0L;
  private long seed = 0L;
  private String metadataJson = null;
  private String environmentJson = null;
  private String prefix = null;
  private Double metric = null;
  private boolean incremental = true;
  private boolean checkReplicas = false;

  /** All defaults. */
  public SaveOptions() {}

  /**
   * Number of the step, &gt;= 0; a load takes the highest one of the current line. Default: 0.
   *
   * @param step the value
   * @return this
   */
  public SaveOptions step(long step) {
    this.step = step;
    return this;
  }

  /** {@return the value set by {@link #step(long)}} */
  public long step() {
    return step;
  }

  /**
   * Seed of the run's random numbers, stored for the load (64 bits without a sign). Default: 0.
   *
   * @param seed the value
   * @return this
   */
  public SaveOptions seed(long seed) {
    this.seed = seed;
    return this;
  }

  /** {@return the value set by {@link #seed(long)}} */
  public long seed() {
    return seed;
  }

  /**
   * Arbitrary JSON for users and tools; null: the JSON value null.
   *
   * @param metadataJson the value
   * @return this
   */
  public SaveOptions metadataJson(String metadataJson) {
    this.metadataJson = metadataJson;
    return this;
  }

  /** {@return the value set by {@link #metadataJson(String)}} */
  public String metadataJson() {
    return metadataJson;
  }

  /**
   * JSON that describes the environment on which the results' last bits depend (hardware, other libraries); null: nothing. The
   * library adds its version and the BLAS that this process uses, if one is loaded already.
   *
   * @param environmentJson the value
   * @return this
   */
  public SaveOptions environmentJson(String environmentJson) {
    this.environmentJson = environmentJson;
    return this;
  }

  /** {@return the value set by {@link #environmentJson(String)}} */
  public String environmentJson() {
    return environmentJson;
  }

  /**
   * Prefix of the checkpoint's name, for users: 1 .. 24 characters of a-z, 0-9 and '_', not "step" or "torn"; loads and retention
   * ignore it. Null or empty: no prefix.
   *
   * @param prefix the value
   * @return this
   */
  public SaveOptions prefix(String prefix) {
    this.prefix = prefix;
    return this;
  }

  /** {@return the value set by {@link #prefix(String)}} */
  public String prefix() {
    return prefix;
  }

  /**
   * Metric of the state, for the selection of the best checkpoints. If it is not finite, the state is saved without a metric, a
   * warning is logged, and metricIgnored is set in the result; empty when there is none. Default: none.
   *
   * @param metric the value
   * @return this
   */
  public SaveOptions metric(double metric) {
    this.metric = metric;
    return this;
  }

  /** {@return the value set by {@link #metric(double)}} */
  public OptionalDouble metric() {
    return metric == null ? OptionalDouble.empty() : OptionalDouble.of(metric);
  }

  /**
   * True: an unchanged file of a group that rarely changes is linked or copied instead of written from memory; false: all files are
   * written. Default: true.
   *
   * @param incremental the value
   * @return this
   */
  public SaveOptions incremental(boolean incremental) {
    this.incremental = incremental;
    return this;
  }

  /** {@return the value set by {@link #incremental(boolean)}} */
  public boolean incremental() {
    return incremental;
  }

  /**
   * Other than 0: with several ranks, compares the checksums of replicated tensors, and of blocks that several ranks have, before
   * the save; a difference fails the save with {@link Status#INVALID_ARGUMENT} that names the tensor and the ranks. Reads every
   * byte of these tensors. Default: false.
   *
   * @param checkReplicas the value
   * @return this
   */
  public SaveOptions checkReplicas(boolean checkReplicas) {
    this.checkReplicas = checkReplicas;
    return this;
  }

  /** {@return the value set by {@link #checkReplicas(boolean)}} */
  public boolean checkReplicas() {
    return checkReplicas;
  }

  /** Calls with these values, and keeps them alive during the call. */
  void with(NativeObject.Into<ckpt_save_options> call) {
    try (ckpt_save_options struct = new ckpt_save_options()) {
      struct.setStep(step);
      struct.setSeed(seed);
      if (metadataJson != null) struct.setMetadata_json(metadataJson);
      if (environmentJson != null) struct.setEnvironment_json(environmentJson);
      if (prefix != null) struct.setPrefix(prefix);
      struct.setHas_metric(metric == null ? 0 : 1);
      if (metric != null) struct.setMetric(metric);
      struct.setIncremental(incremental ? 1 : 0);
      struct.setCheck_replicas(checkReplicas ? 1 : 0);
      call.call(struct);
    } finally {
      Reference.reachabilityFence(this);
    }
  }
}
