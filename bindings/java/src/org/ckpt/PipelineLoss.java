package org.ckpt;

/**
 * The losses of a step; NaN where the output is not one number.
 *
 * @param mean of all micro-batches
 * @param microBatches each one's
 */
public record PipelineLoss(double mean, double[] microBatches) {}
