// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/**
 * A piece of memory from the operation that makes what it holds to the last that uses it.
 *
 * @param bytes number of bytes, &gt;= 0
 * @param offset distance from the start of its tier's arena in bytes, a multiple of 64; negative for one of no bytes
 * @param first index of the operation that makes it; negative for x_0, which is there from the start
 * @param last index of the last operation that uses it; the number of operations for GRAD(0), which is left
 * @param index index i of INPUT(i) and GRAD(i); else the layer
 * @param item what it holds: one of {@link Item}; NONE for workspace and ambient state
 * @param tier which arena it is in: 0 memory; 1 .. 3 slower places
 * @param option option of the layer, for a TAPE
 * @param microBatch number of the micro-batch, from 0
 * @param slot place within the tier, for a tier above 0
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
