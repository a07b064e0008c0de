package org.ckpt;

/**
 * Where and when a custom layer runs.
 *
 * @param option of the layer
 * @param microBatch 0 in a step of one batch
 * @param recomputation whether this forward ran before in the step
 * @param layer global number of the layer
 * @param step number of the step
 * @param seed of the step
 * @param firstSample global number of the batch's first sample within the step
 * @param input type and shape
 * @param output type and shape
 */
public record LayerContext(
    int option, int microBatch, boolean recomputation, long layer, long step, long seed, long firstSample, TensorSpec input,
    TensorSpec output) {
  private static final int INPUT = 8;

  static LayerContext of(long[] n) {
    int output = INPUT + (int) n[7];
    return new LayerContext(
        (int) n[0], (int) n[1], n[2] != 0, n[3], n[4], n[5], n[6], TensorSpec.of(n, INPUT, output),
        TensorSpec.of(n, output, n.length));
  }
}
