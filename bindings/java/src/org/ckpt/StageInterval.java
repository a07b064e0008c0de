package org.ckpt;

/**
 * What a stage of a pipeline did for a while.
 *
 * @param kind what
 * @param stage which
 * @param chunk of the stage
 * @param microBatch whose
 * @param beginNs nanoseconds since the step began
 * @param endNs nanoseconds since the step began
 */
public record StageInterval(IntervalKind kind, int stage, int chunk, int microBatch, long beginNs, long endNs) {}
