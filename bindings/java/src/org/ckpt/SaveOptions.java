package org.ckpt;

/** What a save writes beside the state. */
public final class SaveOptions {
  private Long step;
  private Long seed;
  private String metadataJson;
  private String environmentJson;
  private String prefix;
  private Double metric;
  private Boolean incremental;

  /** All defaults. */
  public SaveOptions() {}

  /**
   * Of the run, at least 0; a load takes the highest. Default 0.
   *
   * @param step the value
   * @return this
   */
  public SaveOptions step(long step) {
    this.step = step;
    return this;
  }

  /**
   * Of the run's random numbers; default 0.
   *
   * @param seed the value
   * @return this
   */
  public SaveOptions seed(long seed) {
    this.seed = seed;
    return this;
  }

  /**
   * Anything, for people and tools, as JSON; default null.
   *
   * @param metadataJson the value
   * @return this
   */
  public SaveOptions metadataJson(String metadataJson) {
    this.metadataJson = metadataJson;
    return this;
  }

  /**
   * What the results' last bits depend on, as JSON; default null.
   *
   * @param environmentJson the value
   * @return this
   */
  public SaveOptions environmentJson(String environmentJson) {
    this.environmentJson = environmentJson;
    return this;
  }

  /**
   * Begins the checkpoint's name, for people: 1 .. 24 of a-z, 0-9 and '_', not "step" or "torn"; default none.
   *
   * @param prefix the value
   * @return this
   */
  public SaveOptions prefix(String prefix) {
    this.prefix = prefix;
    return this;
  }

  /**
   * What keepBest compares; finite. Default: none.
   *
   * @param metric the value
   * @return this
   */
  public SaveOptions metric(double metric) {
    this.metric = metric;
    return this;
  }

  /**
   * True, the default: an unchanged file of a group that rarely changes is linked to, or copied.
   *
   * @param incremental the value
   * @return this
   */
  public SaveOptions incremental(boolean incremental) {
    this.incremental = incremental;
    return this;
  }

  /** Changes what was set; everything else keeps the library's default. */
  void apply(ckpt_save_options struct) {
    if (step != null) struct.setStep(step);
    if (seed != null) struct.setSeed(seed);
    if (metadataJson != null) struct.setMetadata_json(metadataJson);
    if (environmentJson != null) struct.setEnvironment_json(environmentJson);
    if (prefix != null) struct.setPrefix(prefix);
    if (metric != null) {
      struct.setMetric(metric);
      struct.setHas_metric(1);
    }
    if (incremental != null) struct.setIncremental(incremental ? 1 : 0);
  }
}
