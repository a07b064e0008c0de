package org.ckpt;

/** What an action of a schedule does. */
public enum ActionKind {
  /** Runs layers without recording. */
  FORWARD(1),

  /** Runs layers and records for backward. */
  FORWARD_TAPE(2),

  /** Runs layers backward. */
  BACKWARD(3),

  /** Begins to copy an item into a slot of a slower tier. */
  STORE_BEGIN(4),

  /** Begins to copy it back. */
  LOAD_BEGIN(5),

  /** Waits for a transfer. */
  AWAIT(6),

  /** Ends an item. */
  DROP(7),

  /** Hands a copy of an item to a neighbour stage. */
  SEND(8),

  /** Takes an item from a neighbour stage. */
  RECEIVE(9),

  /** The forward part ends. */
  TURN(10),

  /** The step ends. */
  END(11);

  private final int number;

  ActionKind(int number) {
    this.number = number;
  }

  /**
   * The number in the C API.
   *
   * @return fixed for ever
   */
  public int number() {
    return number;
  }

  /**
   * The library's name of it.
   *
   * @return "FORWARD", "DROP", ...
   */
  public String text() {
    return Native.ckpt_action_kind_name(number);
  }

  static ActionKind of(int number) {
    for (ActionKind one : values()) {
      if (one.number == number) return one;
    }
    throw new InternalException("ActionKind " + number + " is unknown to this version");
  }
}
