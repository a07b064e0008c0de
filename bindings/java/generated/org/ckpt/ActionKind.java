// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/** Kind of an action. Memory changes only at actions, as each kind says; nothing else is kept or dropped. */
public enum ActionKind {
  /**
   * Runs layers first .. last-1 without recording, under one option; needs INPUT(first), makes INPUT(last), keeps nothing between.
   */
  FORWARD(1),

  /** Runs layers first .. last-1 and records: needs INPUT(first), makes TAPE(i, option) and INPUT(i+1) of each layer i. */
  FORWARD_TAPE(2),

  /**
   * Runs layers last-1 down to first backward: needs GRAD(i+1), TAPE(i, option), and INPUT(i) or INPUT(i+1) where the layer's flags
   * say so; makes GRAD(i); ends GRAD(i+1) and TAPE(i, option). Once for each layer and micro-batch.
   */
  BACKWARD(3),

  /**
   * Begins to copy an item into (tier, slot), tier &gt;= 1; the item may be dropped at once, but its bytes count until the AWAIT.
   */
  STORE_BEGIN(4),

  /** Begins to copy the item in (tier, slot) back to memory; its bytes count from here, it is usable after the AWAIT. */
  LOAD_BEGIN(5),

  /** Waits for a transfer that STORE_BEGIN or LOAD_BEGIN began. */
  AWAIT(6),

  /** Ends an item (tier 0), or what a slot of another tier holds. */
  DROP(7),

  /** Sends a copy of an item to a neighbour stage of a pipeline; the item stays until its DROP. */
  SEND(8),

  /**
   * Receives an item from a neighbour stage. In a stage's schedule of a pipeline every micro-batch's INPUT arrives this way; a
   * schedule of a chain of its own has no SEND and RECEIVE.
   */
  RECEIVE(9),

  /** Ends the forward part: needs INPUT(n), shows it to the caller, makes GRAD(n); last stage only. */
  TURN(10),

  /** Ends the step: only GRAD(0) may be left. */
  END(11),

  /**
   * Runs one layer and records, for a backward that nothing else waits for: needs INPUT(first), makes TAPE(first, option), and
   * INPUT(last) only where the layer's flags say NEEDS_OUTPUT. last is first + 1. Runs the option's record (hasRecord); without one
   * it runs forward, and an output that it does not make counts as workspace meanwhile.
   */
  RECORD(12),

  /**
   * Runs layers first .. last-1 without recording, each in place: needs INPUT(first), which it ends, and makes INPUT(last) in the
   * same buffer. While layer k runs, the buffer counts the larger of x_k and x_{k+1}. Not for an INPUT that a STORE_BEGIN is
   * copying. slot names the buffer in schedules of adjoint codes, as it does for the result of their FORWARD; else it is 0.
   */
  ADVANCE(13),

  /** A number that this version does not know: a newer library has it. */
  UNKNOWN(Integer.MIN_VALUE);

  private static final ActionKind[] KNOWN = values();
  private final int number;

  ActionKind(int number) {
    this.number = number;
  }

  /** {@return the number in the C API, fixed for ever} */
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
