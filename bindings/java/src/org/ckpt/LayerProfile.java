package org.ckpt;

import java.util.List;

/**
 * One layer of a profile.
 *
 * @param name not blank
 * @param flags a sum of {@link LayerFlags}
 * @param outputBytes of its output, and of its gradient
 * @param ambientBytes of state outside the arguments that forward reads
 * @param output type and shape of the output, for strategies; null: not known
 * @param options ways to run it, at least one
 */
public record LayerProfile(
    String name, int flags, long outputBytes, long ambientBytes, TensorSpec output, List<OptionProfile> options) {
  /**
   * A usual layer with one option.
   *
   * @param name not blank
   * @param outputBytes of its output
   * @param tapeBytes recorded for backward
   * @param forwardSeconds of forward
   * @param backwardSeconds of backward
   * @return the layer
   */
  public static LayerProfile of(String name, long outputBytes, long tapeBytes, double forwardSeconds, double backwardSeconds) {
    OptionProfile option = new OptionProfile(tapeBytes, 0, 0, forwardSeconds, backwardSeconds);
    return new LayerProfile(name, LayerFlags.DEFAULT, outputBytes, 0, null, List.of(option));
  }
}
