package org.ckpt;

/**
 * What a stage measured since the pipeline was made.
 *
 * @param inFlight micro-batches between forward and backward at most (of chunk 0)
 * @param firstLayer global number (of chunk 0)
 * @param layers of all chunks
 * @param steps that ended well
 * @param forwards layer forwards, recomputed ones included
 * @param recomputedForwards those beyond the first
 * @param kept micro-batches whose tapes stayed from forward to backward
 * @param recomputed micro-batches whose tapes did not
 * @param peakLiveBytes equals the verifier's peak of the whole step
 * @param reservedBytes the arena
 * @param queueBytes reserved by the queues to and from the next stage
 * @param busyNs of the last step: nanoseconds of computing, not waiting
 */
public record PipelineStats(
    int inFlight, long firstLayer, long layers, long steps, long forwards, long recomputedForwards, long kept, long recomputed,
    long peakLiveBytes, long reservedBytes, long queueBytes, long busyNs) {
  static PipelineStats of(ckpt_pipeline_stats struct) {
    return new PipelineStats(
        struct.getIn_flight(), struct.getFirst_layer(), struct.getLayers(), struct.getSteps(), struct.getForwards(),
        struct.getRecomputed_forwards(), struct.getKept(), struct.getRecomputed(), struct.getPeak_live_bytes(),
        struct.getReserved_bytes(), struct.getQueue_bytes(), struct.getBusy_ns());
  }
}
