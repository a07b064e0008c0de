// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/**
 * The context of one run of a layer.
 *
 * @param option option of the layer that is run, from 0
 * @param microBatch number of the micro-batch, from 0
 * @param recomputation true when this forward is a recomputation in the step, else false
 * @param layer global number of the layer: the same in every split of the chain
 * @param step number of the step, &gt;= 0
 * @param seed seed of the step's random numbers (64 bits without a sign)
 * @param firstSample global number of the batch's first sample within the step, &gt;= 0
 * @param input element type and shape of the layer's input
 * @param output element type and shape of the layer's output
 * @param targets targets of the step, of the micro-batch's samples; null when the step has none
 * @param pool threads that the step's layers share; null when only the running thread is used
 * @param evaluation true in {@code ScheduleExecutor.evaluate}, without dropout; false in a step
 */
public record LayerContext(
    int option, int microBatch, boolean recomputation, long layer, long step, long seed, long firstSample, TensorSpec input,
    TensorSpec output, Tensor targets, WorkerPool pool, boolean evaluation) {
  static LayerContext of(NumberReader in) {
    return new LayerContext(
        (int) in.next(), (int) in.next(), in.next() != 0, in.next(), in.next(), in.next(), in.next(), in.spec(), in.spec(),
        Tensor.lent(in.next()), WorkerPool.lent(in.next()), in.next() != 0);
  }
}
