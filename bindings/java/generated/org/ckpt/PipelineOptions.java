// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

import java.lang.ref.Reference;

/**
 * Options for creating a pipeline. The chain is split into pieces = stages * chunks pieces of at least one layer; piece k is
 * chunk k / stages of stage k % stages.
 */
public final class PipelineOptions {
  private PipelineOrder order = PipelineOrder.ONE_FORWARD_ONE_BACKWARD;
  private int stages = 1;
  private int microBatches = 1;
  private int chunks = 1;
  private int threadsPerStage = 1;
  private int measuredSteps = 3;
  private long queuePlaces = 0L;
  private long budgetBytes = 0L;
  private Strategy strategy = null;
  private MemoryTracker tracker = null;
  private RecomputeCheck recomputeCheck = RecomputeCheck.NONE;
  private boolean checkWrites = false;
  private boolean checkFinite = false;

  /** All defaults. */
  public PipelineOptions() {}

  /**
   * Order in which stages run the forward and backward parts of micro-batches. Default: {@link
   * PipelineOrder#ONE_FORWARD_ONE_BACKWARD}.
   *
   * @param order the value
   * @return this
   */
  public PipelineOptions order(PipelineOrder order) {
    this.order = order;
    return this;
  }

  /** {@return the value set by {@link #order(PipelineOrder)}} */
  public PipelineOrder order() {
    return order;
  }

  /**
   * Number of stages, 1 .. 1024. Default: 1.
   *
   * @param stages the value
   * @return this
   */
  public PipelineOptions stages(int stages) {
    this.stages = stages;
    return this;
  }

  /** {@return the value set by {@link #stages(int)}} */
  public int stages() {
    return stages;
  }

  /**
   * Number of micro-batches of a step, 1 .. 65536; divides the batch's samples. Default: 1.
   *
   * @param microBatches the value
   * @return this
   */
  public PipelineOptions microBatches(int microBatches) {
    this.microBatches = microBatches;
    return this;
  }

  /** {@return the value set by {@link #microBatches(int)}} */
  public int microBatches() {
    return microBatches;
  }

  /**
   * Number of pieces of each stage; 1 unless the order is {@link PipelineOrder#INTERLEAVED}. Default: 1.
   *
   * @param chunks the value
   * @return this
   */
  public PipelineOptions chunks(int chunks) {
    this.chunks = chunks;
    return this;
  }

  /** {@return the value set by {@link #chunks(int)}} */
  public int chunks() {
    return chunks;
  }

  /**
   * Number of threads of each stage's pool, the stage's thread included; 1 .. 1024. Default: 1.
   *
   * @param threadsPerStage the value
   * @return this
   */
  public PipelineOptions threadsPerStage(int threadsPerStage) {
    this.threadsPerStage = threadsPerStage;
    return this;
  }

  /** {@return the value set by {@link #threadsPerStage(int)}} */
  public int threadsPerStage() {
    return threadsPerStage;
  }

  /**
   * Number of runs for measuring the layers' times, for the split and the budget; 0: only bytes are used. Default: 3.
   *
   * @param measuredSteps the value
   * @return this
   */
  public PipelineOptions measuredSteps(int measuredSteps) {
    this.measuredSteps = measuredSteps;
    return this;
  }

  /** {@return the value set by {@link #measuredSteps(int)}} */
  public int measuredSteps() {
    return measuredSteps;
  }

  /**
   * Capacity of each queue between neighbours; 0: as much as the schedule needs. Default: 0.
   *
   * @param queuePlaces the value
   * @return this
   */
  public PipelineOptions queuePlaces(long queuePlaces) {
    this.queuePlaces = queuePlaces;
    return this;
  }

  /** {@return the value set by {@link #queuePlaces(long)}} */
  public long queuePlaces() {
    return queuePlaces;
  }

  /**
   * Limit of the reserved bytes of each stage's whole step, with the kept values of all micro-batches in flight; each stage uses
   * the fastest plan found within it; 0: no budget. Default: 0.
   *
   * @param budgetBytes the value
   * @return this
   */
  public PipelineOptions budgetBytes(long budgetBytes) {
    this.budgetBytes = budgetBytes;
    return this;
  }

  /** {@return the value set by {@link #budgetBytes(long)}} */
  public long budgetBytes() {
    return budgetBytes;
  }

  /**
   * Strategy that determines each piece's plan, layer by layer; asked again before each step; kept alive; null: no strategy.
   *
   * @param strategy the value
   * @return this
   */
  public PipelineOptions strategy(CheckpointStrategy strategy) {
    this.strategy = Strategy.of(strategy);
    return this;
  }

  /** {@return the value set by {@link #strategy(CheckpointStrategy)}} */
  public Strategy strategy() {
    return strategy;
  }

  /**
   * Tracker that counts every buffer, those of queues included; kept alive; null: a new one.
   *
   * @param tracker the value
   * @return this
   */
  public PipelineOptions tracker(MemoryTracker tracker) {
    this.tracker = tracker;
    return this;
  }

  /** {@return the value set by {@link #tracker(MemoryTracker)}} */
  public MemoryTracker tracker() {
    return tracker;
  }

  /**
   * Check of each recomputed forward. Default: {@link RecomputeCheck#NONE}.
   *
   * @param recomputeCheck the value
   * @return this
   */
  public PipelineOptions recomputeCheck(RecomputeCheck recomputeCheck) {
    this.recomputeCheck = recomputeCheck;
    return this;
  }

  /** {@return the value set by {@link #recomputeCheck(RecomputeCheck)}} */
  public RecomputeCheck recomputeCheck() {
    return recomputeCheck;
  }

  /**
   * True: detects writes of layers outside of their buffers; false: no check. Default: false.
   *
   * @param checkWrites the value
   * @return this
   */
  public PipelineOptions checkWrites(boolean checkWrites) {
    this.checkWrites = checkWrites;
    return this;
  }

  /** {@return the value set by {@link #checkWrites(boolean)}} */
  public boolean checkWrites() {
    return checkWrites;
  }

  /**
   * True: a layer's output of F32 or F64 that is not finite fails the step with {@link Status#OUT_OF_RANGE}; the message names the
   * layer, the element and the micro-batch: the first such layer of the stage that detected one first; false: only the losses are
   * checked. Default: false.
   *
   * @param checkFinite the value
   * @return this
   */
  public PipelineOptions checkFinite(boolean checkFinite) {
    this.checkFinite = checkFinite;
    return this;
  }

  /** {@return the value set by {@link #checkFinite(boolean)}} */
  public boolean checkFinite() {
    return checkFinite;
  }

  /** Calls with these values, and keeps them alive during the call. */
  void with(NativeObject.Into<ckpt_pipeline_options> call) {
    try (ckpt_pipeline_options struct = new ckpt_pipeline_options()) {
      struct.setOrder(order.number());
      struct.setStages(stages);
      struct.setMicro_batches(microBatches);
      struct.setChunks(chunks);
      struct.setThreads_per_stage(threadsPerStage);
      struct.setMeasured_steps(measuredSteps);
      struct.setQueue_places(queuePlaces);
      struct.setBudget_bytes(budgetBytes);
      if (strategy != null) struct.setStrategy(strategy);
      if (tracker != null) struct.setTracker(tracker);
      struct.setRecompute_check(recomputeCheck.number());
      struct.setCheck_writes(checkWrites ? 1 : 0);
      struct.setCheck_finite(checkFinite ? 1 : 0);
      call.call(struct);
    } finally {
      Reference.reachabilityFence(this);
    }
  }
}
