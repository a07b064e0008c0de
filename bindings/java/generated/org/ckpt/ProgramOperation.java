// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/**
 * One operation. Buffers are indices into the list of buffers; -1 for none.
 *
 * @param kind kind of operation: {@link ActionKind#FORWARD}, _FORWARD_TAPE (with output), _RECORD, _BACKWARD, _TURN, _SEND,
 *     _RECEIVE, _STORE_BEGIN, _LOAD_BEGIN or _AWAIT
 * @param flags sum of {@link OperationFlag}
 * @param layer layer that runs; or the index of the item that is moved
 * @param option option of the layer that runs; or of a TAPE that is moved
 * @param microBatch number of the micro-batch, from 0
 * @param stream stream to which it is issued: 0 computes, 2 t - 1 writes to tier t, 2 t reads from it
 * @param transfer id of the transfer, of STORE_BEGIN, LOAD_BEGIN and AWAIT
 * @param input buffer that is read: the layer's input, or the source of a copy; for a BACKWARD if the layer needs it
 * @param output buffer that is written: the layer's output, or the target of a copy; a BACKWARD reads it if the layer needs it
 * @param tape buffer that a recording forward writes and a BACKWARD reads
 * @param workspace scratch buffer of the operation
 * @param gradOutput buffer of the output's gradient: BACKWARD reads it, TURN writes it
 * @param gradInput buffer of the input's gradient, which a BACKWARD writes
 * @param ambient buffer of the layer's ambient state: written by its first forward, read when it runs again
 * @param presentAmbient buffer that keeps the current ambient state while the layer runs again
 * @param action index of the schedule's action that contains the operation, from 0
 */
public record ProgramOperation(
    ActionKind kind, int flags, long layer, int option, int microBatch, int stream, long transfer, long input, long output,
    long tape, long workspace, long gradOutput, long gradInput, long ambient, long presentAmbient, long action) {
  static ProgramOperation of(NumberReader in) {
    return new ProgramOperation(
        ActionKind.of((int) in.next()), (int) in.next(), in.next(), (int) in.next(), (int) in.next(), (int) in.next(), in.next(),
        in.next(), in.next(), in.next(), in.next(), in.next(), in.next(), in.next(), in.next(), in.next());
  }

  long[] numbers() {
    return new long[] {kind.number(), flags, layer, option, microBatch, stream, transfer, input, output, tape, workspace, gradOutput,
        gradInput, ambient, presentAmbient, action};
  }
}
