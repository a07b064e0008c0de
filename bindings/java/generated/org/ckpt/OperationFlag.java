// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/** How an operation runs: a sum of flags. */
public final class OperationFlag {
  /** The layer ran before in this step: its ambient state is restored first, from the buffer ambient. */
  public static final int AGAIN = 1;

  /** The result overwrites the operand: both buffers have the same offset. */
  public static final int IN_PLACE = 2;

  private OperationFlag() {}
}
