// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/** Kind of an action. Memory changes only at actions, as each kind documents; nothing else is kept or dropped. */
public enum ActionKind {
  /**
   * Runs layers first .. last-1 without recording, under one option; needs INPUT(first), creates INPUT(last), keeps nothing
   * between.
   */
  FORWARD(1),

  /** Runs layers first .. last-1 and records: needs INPUT(first), creates TAPE(i, option) and INPUT(i+1) of each layer i. */
  FORWARD_TAPE(2),

  /**
   * Runs layers last-1 down to first backward: needs GRAD(i+1), TAPE(i, option), and INPUT(i) or INPUT(i+1) if the layer's flags
   * require it; creates GRAD(i); ends GRAD(i+1) and TAPE(i, option). Exactly once for each layer and micro-batch.
   */
  BACKWARD(3),

  /**
   * Begins to copy an item into (tier, slot), tier &gt;= 1; the item may be dropped at once, but its bytes count until the AWAIT.
   */
  STORE_BEGIN(4),

  /** Begins to copy the item in (tier, slot) back to memory; its bytes count from here, it is usable after the AWAIT. */
  LOAD_BEGIN(5),

  /** Waits for a transfer of STORE_BEGIN or LOAD_BEGIN. */
  AWAIT(6),

  /** Ends an item (tier 0), or the item in a slot of another tier. */
  DROP(7),

  /** Sends a copy of an item to a neighbour stage of a pipeline; the item is kept until its DROP. */
  SEND(8),

  /**
   * Receives an item from a neighbour stage. In the schedule of a pipeline's stage every micro-batch's INPUT arrives this way; the
   * schedule of a whole chain has no SEND and RECEIVE.
   */
  RECEIVE(9),

  /** Ends the forward part: needs INPUT(n), passes it to the caller, creates GRAD(n); last stage only. */
  TURN(10),

  /** Ends the step: only GRAD(0) may exist. */
  END(11),

  /**
   * Runs one layer and records, only for its backward: needs INPUT(first), creates TAPE(first, option), and INPUT(last) only if the
   * layer has the flag NEEDS_OUTPUT. last is first + 1. Runs the option's record (hasRecord); without one it runs forward, and an
   * output that is not an item counts as workspace while it runs.
   */
  RECORD(12),

  /**
   * Runs layers first .. last-1 without recording, each in place: needs INPUT(first), which it ends, and creates INPUT(last) in the
   * same buffer. While layer k runs, the buffer counts the larger of x_k and x_{k+1}. Not for an INPUT that a STORE_BEGIN is
   * copying. slot names the buffer in schedules of adjoint codes, as for the result of their FORWARD; else it is 0.
   */
  ADVANCE(13),

  /** A number of a newer version of the library. */
  UNKNOWN(Integer.MIN_VALUE);

  private static final ActionKind[] KNOWN = values();
  private final int number;

  ActionKind(int number) {
    this.number = number;
  }

  /** {@return the number in the C API, which never changes} */
  public int number() {
    return number;
  }

  static ActionKind of(int number) {
    for (ActionKind one : KNOWN) {
      if (one.number == number) return one;
    }
    return UNKNOWN;
  }
}
