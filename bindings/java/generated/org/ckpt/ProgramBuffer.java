// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/**
 * A buffer, and the operations between which it is live.
 *
 * @param bytes number of bytes, &gt;= 0
 * @param offset offset in its tier's arena in bytes, a multiple of 64; negative for a buffer of 0 bytes
 * @param first index of the operation that writes it first; negative for x_0, which exists from the start
 * @param last index of the last operation that uses it; the number of operations for GRAD(0), which outlives the step
 * @param index index i of INPUT(i) and GRAD(i); else the layer
 * @param item item that it holds: one of {@link Item}; NONE for workspace and ambient state
 * @param tier tier of its arena: 0 memory; 1 .. 3 slower places
 * @param option option of the layer, for a TAPE
 * @param microBatch number of the micro-batch, from 0
 * @param slot slot within the tier, for a tier above 0
 */
public record ProgramBuffer(
    long bytes, long offset, long first, long last, long index, Item item, int tier, int option, int microBatch, int slot) {
  static ProgramBuffer of(NumberReader in) {
    return new ProgramBuffer(
        in.next(), in.next(), in.next(), in.next(), in.next(), Item.of((int) in.next()), (int) in.next(), (int) in.next(),
        (int) in.next(), (int) in.next());
  }

  long[] numbers() {
    return new long[] {bytes, offset, first, last, index, item.number(), tier, option, microBatch, slot};
  }
}
