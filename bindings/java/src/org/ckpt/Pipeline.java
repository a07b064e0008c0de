package org.ckpt;

import java.time.Duration;
import java.util.List;

/**
 * Stages that run a chain's steps, each on a thread of its own, several micro-batches at once, with the bits of one stage. Custom
 * layers of different stages run at the same time. Synchronised: while a step runs, other calls but {@link #cancel} throw
 * {@link CkptBusyException}.
 */
public final class Pipeline extends PipelineMethods {
  private final int microBatches;

  /**
   * Cuts the chain, plans each stage and starts the threads.
   *
   * @param chain kept; no other caller runs it while a step runs
   * @param input type and shape of the whole batch
   * @param options how
   * @throws CkptOverBudgetException when no plan fits
   */
  public Pipeline(Chain chain, TensorSpec input, PipelineOptions options) {
    this(chain, input, options, null, null, null);
  }

  /**
   * The same with pieces, plans and a policy of the caller's.
   *
   * @param chain kept; no other caller runs it while a step runs
   * @param input type and shape of the whole batch
   * @param options how
   * @param begins the pieces' first layers, ascending from 0; null: as {@link #split} cuts
   * @param schedules each piece's plan, for a chain of its own; null: none
   * @param policy of every stage's manager; null: store-all
   * @throws CkptOverBudgetException when no plan fits
   */
  public Pipeline(
      Chain chain, TensorSpec input, PipelineOptions options, long[] begins, List<Schedule> schedules, ActivationPolicy policy) {
    super(create(chain, input, options, begins, schedules, policy));
    microBatches = options.microBatches();
  }

  private static long create(
      Chain chain, TensorSpec input, PipelineOptions options, long[] begins, List<Schedule> schedules, ActivationPolicy policy) {
    NativeObject[] plans = schedules == null ? new NativeObject[0] : schedules.toArray(new NativeObject[0]);
    ActivationPolicy kept = policy == null ? new ActivationPolicy() : policy;
    return number(
        out -> options.with(
            struct -> kept.with(p -> Native.ckpt_pipeline_create(chain, input.numbers(), struct, begins, plans, p, out))));
  }

  /**
   * Where a chain is cut so that pieces take equal time.
   *
   * @param profile of one micro-batch
   * @param options schedule, stages, chunks and micro-batches
   * @return the pieces' first layers
   */
  public static long[] split(Profile profile, PipelineOptions options) {
    long[][] begins = new long[1][];
    options.with(struct -> begins[0] = Native.ckpt_pipeline_split(profile, struct));
    return begins[0];
  }

  /**
   * One step of the whole batch.
   *
   * @param step its data, of the batch's size
   * @param timeout null: for ever
   * @return the losses
   * @throws CkptTimeoutException when it took longer; the next step works
   */
  public PipelineLoss run(Step step, Duration timeout) {
    double[] mean = new double[1];
    double[][] losses = new double[1][];
    long timeoutNs = nanoseconds(timeout);
    step.with(struct -> losses[0] = Native.ckpt_pipeline_run(this, struct, timeoutNs, microBatches, mean));
    return new PipelineLoss(mean[0], losses[0]);
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

  /** {@return the intervals of all stages in the last successful step, by stage, then by time} */
  public List<PipelineInterval> timeline() {
    return NumberReader.list(Native.ckpt_pipeline_get_timeline(this, null), PipelineInterval::of);
  }

  /** {@return the duration of the last step that ended well} */
  public Duration stepTime() {
    return Duration.ofNanos(number(out -> Native.ckpt_pipeline_get_timeline(this, out)));
  }
}
