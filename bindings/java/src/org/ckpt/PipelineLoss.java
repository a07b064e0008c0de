package org.ckpt;

/**
 * The losses of a step; NaN when the output is not a single number.
 *
 * @param mean the mean over all micro-batches
 * @param microBatches the loss of each micro-batch
 */
public record PipelineLoss(double mean, double[] microBatches) {}
