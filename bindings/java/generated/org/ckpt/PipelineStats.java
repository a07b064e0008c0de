// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

import java.time.Duration;

/**
 * Measurements of a stage of a pipeline since the pipeline was created.
 *
 * @param inFlight maximum number of micro-batches between forward and backward (of chunk 0)
 * @param firstLayer global number of the stage's first layer (of chunk 0)
 * @param layers number of layers of all chunks of the stage
 * @param steps number of successful steps
 * @param forwards number of layer forwards, recomputed ones included
 * @param recomputedForwards number of layer forwards beyond the first of each layer and micro-batch in a step
 * @param keptMicroBatches number of micro-batches with tapes that were kept from forward to backward
 * @param recomputedMicroBatches number of micro-batches with tapes that were recomputed
 * @param peakLiveBytes maximum number of live bytes: equals the verifier's peak of the whole step to the byte
 * @param reservedBytes bytes of the stage's arena
 * @param queueBytes bytes reserved by the queues to and from the next stage, in addition to the arena
 * @param busy time for which the stage computed, without waits, in the last step
 */
public record PipelineStats(
    int inFlight, long firstLayer, long layers, long steps, long forwards, long recomputedForwards, long keptMicroBatches,
    long recomputedMicroBatches, long peakLiveBytes, long reservedBytes, long queueBytes, Duration busy) {
  static PipelineStats of(ckpt_pipeline_stats struct) {
    return new PipelineStats(
        struct.getIn_flight(), struct.getFirst_layer(), struct.getLayers(), struct.getSteps(), struct.getForwards(),
        struct.getRecomputed_forwards(), struct.getKept_micro_batches(), struct.getRecomputed_micro_batches(),
        struct.getPeak_live_bytes(), struct.getReserved_bytes(), struct.getQueue_bytes(), Duration.ofNanos(struct.getBusy_ns()));
  }

  static PipelineStats from(NativeObject.Into<ckpt_pipeline_stats> call) {
    try (ckpt_pipeline_stats struct = new ckpt_pipeline_stats()) {
      call.call(struct);
      return of(struct);
    }
  }
}
