// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/** Flags of a call of the driver: a sum of flags. */
public final class DriveFlag {
  /** The layers ran before in this step: restore the ambient state (random numbers, statistics) of the start of their first run. */
  public static final int AGAIN = 1;

  /** Only the layer's backward reads its output: a layer with a backward that reads it returns it, other layers return none. */
  public static final int NO_OUTPUT = 2;

  /** Last use of the input: the callback owns the handle, also if it fails; an in-place step overwrites it. */
  public static final int TAKE_INPUT = 4;

  /** Last use of the output that a backward reads: the callback owns the handle, also if it fails. */
  public static final int TAKE_OUTPUT = 8;

  private DriveFlag() {}
}
