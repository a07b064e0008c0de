package org.ckpt;

import java.lang.ref.Reference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Stages that run a chain's steps, each on a thread of its own, several micro-batches at once, with the bits of one stage. Custom
 * layers of different stages run at the same time. Synchronised: while a step runs, other calls but {@link #cancel} throw
 * {@link BusyException}.
 */
public final class Pipeline extends NativeObject {
  private static final int INTERVAL_NUMBERS = 6;
  private final int microBatches;

  /**
   * Cuts the chain, plans each stage and starts the threads.
   *
   * @param chain kept; nobody else runs it while a step runs
   * @param input type and shape of the whole batch
   * @param options how
   * @throws OverBudgetException when no plan fits
   */
  public Pipeline(Chain chain, TensorSpec input, PipelineOptions options) {
    super(create(chain, input, options), Native::ckpt_pipeline_release);
    microBatches = options.microBatchCount();
  }

  private static long create(Chain chain, TensorSpec input, PipelineOptions options) {
    ActivationPolicy policy = options.policyOrNull() == null ? ActivationPolicy.storeAll() : options.policyOrNull();
    try (ckpt_pipeline_options struct = new ckpt_pipeline_options(); ckpt_activation_policy kept = policy.struct()) {
      options.apply(struct);
      return number(
          out -> Native.ckpt_pipeline_create(
              chain, input.numbers(), struct, options.beginsOrNone(), options.schedulesOrNone(), kept, out));
    } finally {
      Reference.reachabilityFence(options);
    }
  }

  /**
   * Where a chain is cut so that pieces take equal time.
   *
   * @param profile of one micro-batch
   * @param options schedule, stages, chunks and micro-batches
   * @return the pieces' first layers
   */
  public static long[] split(Profile profile, PipelineOptions options) {
    try (ckpt_pipeline_options struct = new ckpt_pipeline_options()) {
      options.apply(struct);
      return Native.ckpt_pipeline_split(profile, struct);
    }
  }

  /**
   * The most micro-batches of a piece that are between their forward and the end of their backward.
   *
   * @param options schedule, stages, chunks and micro-batches
   * @param piece 0 .. pieces-1
   * @return their number
   */
  public static int inFlight(PipelineOptions options, int piece) {
    try (ckpt_pipeline_options struct = new ckpt_pipeline_options()) {
      options.apply(struct);
      return whole(out -> Native.ckpt_pipeline_get_in_flight(struct, piece, out));
    }
  }

  /**
   * One step of the whole batch.
   *
   * @param step its data, of the batch's size
   * @param timeout null: for ever
   * @return the losses
   * @throws TimeoutException when it took longer; the next step works
   */
  public PipelineLoss run(Step step, Duration timeout) {
    try (ckpt_step struct = new ckpt_step()) {
      step.apply(struct);
      double[] mean = new double[1];
      double[] losses = Native.ckpt_pipeline_run(this, struct, nanoseconds(timeout), microBatches, mean);
      return new PipelineLoss(mean[0], losses);
    } finally {
      Reference.reachabilityFence(step);
    }
  }

  /**
   * The same, for ever.
   *
   * @param step its data, of the batch's size
   * @return the losses
   */
  public PipelineLoss run(Step step) {
    return run(step, null);
  }

  /** Asks the step that is running to end with {@link CancelledException}. Any thread. */
  public void cancel() {
    Native.ckpt_pipeline_cancel(this);
  }

  /**
   * First layers of the pieces.
   *
   * @return ascending from 0
   */
  public long[] begins() {
    return Native.ckpt_pipeline_get_begins(this);
  }

  /**
   * A stage's manager.
   *
   * @param stage 0 .. stages-1
   * @return a new reference
   */
  public ActivationManager manager(int stage) {
    return ActivationManager.adopt(number(out -> Native.ckpt_pipeline_get_manager(this, stage, out)));
  }

  /**
   * The schedule of a stage's whole step.
   *
   * @param stage 0 .. stages-1
   * @return a new reference
   */
  public Schedule schedule(int stage) {
    return Schedule.made(out -> Native.ckpt_pipeline_get_schedule(this, stage, out));
  }

  /**
   * The profile that this schedule is verified against.
   *
   * @param stage 0 .. stages-1
   * @return a new reference
   */
  public Profile profile(int stage) {
    return Profile.made(out -> Native.ckpt_pipeline_get_profile(this, stage, out));
  }

  /**
   * What a stage measured.
   *
   * @param stage 0 .. stages-1
   * @return since the pipeline was made
   */
  public PipelineStats stats(int stage) {
    try (ckpt_pipeline_stats struct = new ckpt_pipeline_stats()) {
      Native.ckpt_pipeline_get_stats(this, stage, struct);
      return PipelineStats.of(struct);
    }
  }

  /**
   * What the stages did in the last step that ended well.
   *
   * @return by stage, then by time
   */
  public List<StageInterval> timeline() {
    long[] n = Native.ckpt_pipeline_get_timeline(this, null);
    List<StageInterval> intervals = new ArrayList<>();
    for (int k = 0; k < n.length; k += INTERVAL_NUMBERS) {
      intervals.add(
          new StageInterval(
              IntervalKind.of((int) n[k]), (int) n[k + 1], (int) n[k + 2], (int) n[k + 3], n[k + 4], n[k + 5]));
    }
    return List.copyOf(intervals);
  }

  /**
   * How long the last step that ended well took.
   *
   * @return nanoseconds
   */
  public long stepNs() {
    return number(out -> Native.ckpt_pipeline_get_timeline(this, out));
  }

  /**
   * The time-line as Chrome's trace events.
   *
   * @return JSON
   */
  public String traceJson() {
    return Native.ckpt_pipeline_get_trace_json(this);
  }
}
