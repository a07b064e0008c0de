package org.ckpt;

import java.util.List;

/** How a chain is cut into stages and run. */
public final class PipelineOptions {
  private PipelineSchedule schedule;
  private Integer stages;
  private Integer microBatches;
  private Integer chunks;
  private Integer threadsPerStage;
  private Integer measuredSteps;
  private Long queuePlaces;
  private Long budgetBytes;
  private Strategy strategy;
  private MemoryTracker tracker;
  private List<Long> begins;
  private List<Schedule> schedules;
  private ActivationPolicy policy;

  /** All defaults. */
  public PipelineOptions() {}

  /**
   * Default ONE_FORWARD_ONE_BACKWARD.
   *
   * @param schedule the value
   * @return this
   */
  public PipelineOptions schedule(PipelineSchedule schedule) {
    this.schedule = schedule;
    return this;
  }

  /**
   * 1 .. 1024; default 1.
   *
   * @param stages the value
   * @return this
   */
  public PipelineOptions stages(int stages) {
    this.stages = stages;
    return this;
  }

  /**
   * 1 .. 65536; divides the batch's samples; default 1.
   *
   * @param microBatches the value
   * @return this
   */
  public PipelineOptions microBatches(int microBatches) {
    this.microBatches = microBatches;
    return this;
  }

  /**
   * Of each stage; 1, the default, unless the schedule is INTERLEAVED.
   *
   * @param chunks the value
   * @return this
   */
  public PipelineOptions chunks(int chunks) {
    this.chunks = chunks;
    return this;
  }

  /**
   * Its own thread included; default 1.
   *
   * @param threadsPerStage the value
   * @return this
   */
  public PipelineOptions threadsPerStage(int threadsPerStage) {
    this.threadsPerStage = threadsPerStage;
    return this;
  }

  /**
   * Runs that time the layers; 0: bytes only; default 3.
   *
   * @param measuredSteps the value
   * @return this
   */
  public PipelineOptions measuredSteps(int measuredSteps) {
    this.measuredSteps = measuredSteps;
    return this;
  }

  /**
   * Of each queue between neighbours; 0, the default: as many as the schedule needs.
   *
   * @param queuePlaces the value
   * @return this
   */
  public PipelineOptions queuePlaces(long queuePlaces) {
    this.queuePlaces = queuePlaces;
    return this;
  }

  /**
   * Each stage takes the fastest plan whose whole step reserves no more; 0, the default: none.
   *
   * @param budgetBytes the value
   * @return this
   */
  public PipelineOptions budgetBytes(long budgetBytes) {
    this.budgetBytes = budgetBytes;
    return this;
  }

  /**
   * Chooses each piece's plan, layer by layer; default: none.
   *
   * @param strategy the value
   * @return this
   */
  public PipelineOptions strategy(Strategy strategy) {
    this.strategy = strategy;
    return this;
  }

  /**
   * Learns of every buffer; default: one of its own.
   *
   * @param tracker the value
   * @return this
   */
  public PipelineOptions tracker(MemoryTracker tracker) {
    this.tracker = tracker;
    return this;
  }

  /**
   * The pieces' first layers, ascending from 0; default: as Pipeline.split cuts.
   *
   * @param begins the value
   * @return this
   */
  public PipelineOptions begins(List<Long> begins) {
    this.begins = begins;
    return this;
  }

  /**
   * Each piece's plan, for a chain of its own; default: none.
   *
   * @param schedules the value
   * @return this
   */
  public PipelineOptions schedules(List<Schedule> schedules) {
    this.schedules = schedules;
    return this;
  }

  /**
   * Of every stage's manager; default: store-all.
   *
   * @param policy the value
   * @return this
   */
  public PipelineOptions policy(ActivationPolicy policy) {
    this.policy = policy;
    return this;
  }

  long[] beginsOrNone() {
    return begins == null ? new long[0] : begins.stream().mapToLong(Long::longValue).toArray();
  }

  Schedule[] schedulesOrNone() {
    return schedules == null ? new Schedule[0] : schedules.toArray(new Schedule[0]);
  }

  ActivationPolicy policyOrNull() {
    return policy;
  }

  int microBatchCount() {
    return microBatches == null ? 1 : microBatches;
  }

  /** Changes what was set; everything else keeps the library's default. */
  void apply(ckpt_pipeline_options struct) {
    if (schedule != null) struct.setSchedule(schedule.number());
    if (stages != null) struct.setStages(stages);
    if (microBatches != null) struct.setMicro_batches(microBatches);
    if (chunks != null) struct.setChunks(chunks);
    if (threadsPerStage != null) struct.setThreads_per_stage(threadsPerStage);
    if (measuredSteps != null) struct.setMeasured_steps(measuredSteps);
    if (queuePlaces != null) struct.setQueue_places(queuePlaces);
    if (budgetBytes != null) struct.setBudget_bytes(budgetBytes);
    if (strategy != null) struct.setStrategy(strategy);
    if (tracker != null) struct.setTracker(tracker);
    // begins, schedules and policy: arguments of the call

  }
}
