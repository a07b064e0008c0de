package org.ckpt;

/**
 * What a custom layer needs for one of its options.
 *
 * @param tape recorded for backward
 * @param forwardWorkspace needed while forward runs
 * @param backwardWorkspace needed while backward runs
 */
public record LayerBytes(long tape, long forwardWorkspace, long backwardWorkspace) {
  /** A layer that needs nothing. */
  public static final LayerBytes NONE = new LayerBytes(0, 0, 0);
}
