// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/**
 * The activity of a stage of a pipeline in one interval of a step.
 *
 * @param kind activity of the stage
 * @param stage number of the stage, from 0
 * @param chunk number of the chunk of the stage, from 0
 * @param microBatch number of the micro-batch, from 0
 * @param beginAtNs begin of the interval, in nanoseconds since the step began
 * @param endAtNs end of the interval, in nanoseconds since the step began
 */
public record PipelineInterval(
    IntervalKind kind, int stage, int chunk, int microBatch, long beginAtNs, long endAtNs) {
  static PipelineInterval of(NumberReader in) {
    return new PipelineInterval(
        IntervalKind.of((int) in.next()), (int) in.next(), (int) in.next(), (int) in.next(), in.next(), in.next());
  }

  long[] numbers() {
    return new long[] {kind.number(), stage, chunk, microBatch, beginAtNs, endAtNs};
  }
}
