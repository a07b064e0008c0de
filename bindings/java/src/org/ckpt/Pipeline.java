package org.ckpt;

import java.time.Duration;
import java.util.List;

/**
 * Stages that run a chain's steps, each on its own thread, several micro-batches at once, with the same bits as one stage. Custom
 * layers of different stages run concurrently. Synchronized: while a step runs, other calls except {@link #cancel} throw
 * {@link CkptBusyException}.
 */
public final class Pipeline extends PipelineMethods {
  private final int microBatches;

  /**
   * Cuts the chain, plans each stage and starts the threads.
   *
   * @param chain kept alive; not to be run by others while a step runs
   * @param input type and shape of the whole batch
   * @param options the options of the pipeline
   * @throws CkptOverBudgetException when no plan fits
   */
  public Pipeline(Chain chain, TensorSpec input, PipelineOptions options) {
    this(chain, input, options, null, null, null);
  }

  /**
   * Cuts the chain into given pieces, with given plans and a given policy, and starts the threads.
   *
   * @param chain kept alive; not to be run by others while a step runs
   * @param input type and shape of the whole batch
   * @param options the options of the pipeline
   * @param begins the pieces' first layers, ascending from 0; null: those of {@link #split}
   * @param schedules each piece's plan, as for a separate chain; null: the stages are planned here
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
   * Divides a chain into pieces of equal time.
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
   * Runs one step of the whole batch.
   *
   * @param step the data of the step, of the batch's size
   * @param timeout null: no limit
   * @return the losses
   * @throws CkptTimeoutException when it takes longer; the next step works
   */
  public PipelineLoss run(Step step, Duration timeout) {
    double[] mean = new double[1];
    double[][] losses = new double[1][];
    long timeoutNs = nanoseconds(timeout);
    step.with(struct -> losses[0] = Native.ckpt_pipeline_run(this, struct, timeoutNs, microBatches, mean));
    return new PipelineLoss(mean[0], losses[0]);
  }

  /**
   * Runs one step of the whole batch, without a time limit.
   *
   * @param step the data of the step, of the batch's size
   * @return the losses
   */
  public PipelineLoss run(Step step) {
    return run(step, null);
  }

  /** {@return the intervals of all stages in the last successful step, by stage, then by time} */
  public List<PipelineInterval> timeline() {
    return NumberReader.list(Native.ckpt_pipeline_get_timeline(this, null), PipelineInterval::of);
  }

  /** {@return the duration of the last successful step} */
  public Duration stepTime() {
    return Duration.ofNanos(number(out -> Native.ckpt_pipeline_get_timeline(this, out)));
  }
}
