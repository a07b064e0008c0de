// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/**
 * One action of a schedule. Fields that a kind does not use are 0.
 *
 * @param kind kind of action
 * @param microBatch number of the micro-batch, from 0; 0 for a step of one batch
 * @param first first layer of the action; or the index i of the item
 * @param last one past the last layer of the action
 * @param option option of the layers; or of the item, for a TAPE
 * @param item kind of item of STORE_BEGIN, LOAD_BEGIN, DROP, SEND, RECEIVE
 * @param tier tier of the item: 0 memory; 1 .. 3 slower places
 * @param slot slot within the tier, &gt;= 0; of FORWARD and ADVANCE: the buffer of the result, for code that runs the schedule
 * @param transfer id of a transfer from its STORE_BEGIN or LOAD_BEGIN to its AWAIT
 */
public record ScheduleAction(
    ActionKind kind, int microBatch, long first, long last, int option, Item item, int tier, int slot, long transfer) {
  static ScheduleAction of(NumberReader in) {
    return new ScheduleAction(
        ActionKind.of((int) in.next()), (int) in.next(), in.next(), in.next(), (int) in.next(), Item.of((int) in.next()),
        (int) in.next(), (int) in.next(), in.next());
  }

  long[] numbers() {
    return new long[] {kind.number(), microBatch, first, last, option, item.number(), tier, slot, transfer};
  }
}
