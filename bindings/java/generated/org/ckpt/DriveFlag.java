// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/** What a callback must know beside its handles: a sum of flags. */
public final class DriveFlag {
  /** The layers ran before in this step: restore the ambient state (random numbers, statistics) that their first run began with. */
  public static final int AGAIN = 1;

  /** Nothing but the layer's own backward reads its output: only a layer whose backward does so gives it, others give none. */
  public static final int NO_OUTPUT = 2;

  /** Last use of the input: the callback owns the handle, also when it fails; a step in place overwrites it. */
  public static final int TAKE_INPUT = 4;

  /** Last use of the output that a backward reads: the callback owns the handle, also when it fails. */
  public static final int TAKE_OUTPUT = 8;

  private DriveFlag() {}
}
