// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/**
 * One call of the driver: the operation to do. Fields that a kind does not use are 0.
 *
 * @param kind the operation: FORWARD, RECORD, BACKWARD, TURN, STORE_BEGIN, LOAD_BEGIN, AWAIT or DROP of {@link ActionKind}
 * @param flags sum of {@link DriveFlag}
 * @param first first layer of the call; or the index i of the item
 * @param last one past the last layer of the call
 * @param option option of the layers; or of the item, for a TAPE
 * @param microBatch number of the micro-batch: 0
 * @param item kind of item of STORE_BEGIN, LOAD_BEGIN, AWAIT and DROP
 * @param tier tier of the item: 0 memory; 1 .. 3 slower places
 * @param slot place within the tier, &gt;= 0; of FORWARD: the buffer of the result, as the schedule's action names it
 * @param transfer id of the transfer, from its STORE_BEGIN or LOAD_BEGIN to its AWAIT
 * @param action index of the schedule's action that causes the call, from 0
 * @param layers number of layers of the chain; 0 while it is unknown in an open-ended schedule
 */
public record DriveCall(
    ActionKind kind, int flags, long first, long last, int option, int microBatch, Item item, int tier, int slot, long transfer,
    long action, long layers) {
  static DriveCall of(NumberReader in) {
    return new DriveCall(
        ActionKind.of((int) in.next()), (int) in.next(), in.next(), in.next(), (int) in.next(), (int) in.next(),
        Item.of((int) in.next()), (int) in.next(), (int) in.next(), in.next(), in.next(), in.next());
  }

  long[] numbers() {
    return new long[] {kind.number(), flags, first, last, option, microBatch, item.number(), tier, slot, transfer, action, layers};
  }
}
