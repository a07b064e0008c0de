package org.ckpt;

/**
 * One action of a schedule. Fields that a kind does not use are 0.
 *
 * @param kind what it does
 * @param microBatch 0 for a step of one batch
 * @param first first layer, or the item's index
 * @param last one past the last layer
 * @param option the layers' option, or the item's
 * @param item of STORE_BEGIN, LOAD_BEGIN, DROP, SEND, RECEIVE
 * @param tier 0: memory; 1 .. 3: slower places
 * @param slot place within the tier
 * @param transfer names a transfer from its BEGIN to its AWAIT
 */
public record Action(
    ActionKind kind, int microBatch, long first, long last, int option, Item item, int tier, int slot, long transfer) {
  private static final int NUMBERS = 9;

  /**
   * An action on layers: FORWARD, FORWARD_TAPE, BACKWARD.
   *
   * @param kind what it does
   * @param first first layer
   * @param last one past the last layer
   * @return the action
   */
  public static Action layers(ActionKind kind, long first, long last) {
    return new Action(kind, 0, first, last, 0, Item.NONE, 0, 0, 0);
  }

  /**
   * The end of an item in memory.
   *
   * @param item what it is
   * @param index of which layer
   * @return the action
   */
  public static Action drop(Item item, long index) {
    return new Action(ActionKind.DROP, 0, index, 0, 0, item, 0, 0, 0);
  }

  /**
   * An action without fields: TURN, END.
   *
   * @param kind what it does
   * @return the action
   */
  public static Action of(ActionKind kind) {
    return layers(kind, 0, 0);
  }

  static Action[] of(long[] n) {
    Action[] actions = new Action[n.length / NUMBERS];
    for (int i = 0, k = 0; i < actions.length; ++i, k += NUMBERS) {
      actions[i] =
          new Action(
              ActionKind.of((int) n[k]), (int) n[k + 1], n[k + 2], n[k + 3], (int) n[k + 4], Item.of((int) n[k + 5]),
              (int) n[k + 6], (int) n[k + 7], n[k + 8]);
    }
    return actions;
  }

  static long[] numbers(java.util.List<Action> actions) {
    long[] n = new long[actions.size() * NUMBERS];
    int k = 0;
    for (Action a : actions) {
      for (long value :
          new long[] {a.kind.number(), a.microBatch, a.first, a.last, a.option, a.item.number(), a.tier, a.slot, a.transfer}) {
        n[k++] = value;
      }
    }
    return n;
  }
}
