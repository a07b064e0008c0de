// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

import java.nio.ByteBuffer;

/** The functions of {@link CustomLayer}. */
interface CustomLayerMethods {
  /** Sum of {@link LayerFlag}. */
  default int flags() {
    return LayerFlag.NEEDS_INPUT | LayerFlag.DETERMINISTIC;
  }

  /** Number of ways to run the layer, 1 .. 64. */
  default int options() {
    return 1;
  }

  /** Bytes of state outside the arguments that forward reads (a random generator); 0: none. */
  default long ambientBytes() {
    return 0L;
  }

  /**
   * Returns dtype and shape of the output for an input; refuses an input by an exception. Asked once when an executor, a profile or
   * a pipeline is made, and not in a step unless {@link RecomputeCheck#METADATA} asks: what is no tensor is {@link
   * Status#INVALID_ARGUMENT}. Runs on the thread that makes or runs that; may block; calls of that executor and its chain return
   * {@link Status#INVALID_STATE}. An exception ends the operation with {@link Status#CALLBACK}.
   */
  TensorSpec output(TensorSpec input);

  /** Computes the output; must produce the same bits with and without tape, and again, when the layer is deterministic. */
  void forward(LayerContext context, ByteBuffer input, ByteBuffer output, ByteBuffer tape, ByteBuffer workspace);

  /**
   * Computes gradInput from gradOutput, and adds to the gradients of parameters of its own. Buffers are 64-byte aligned, borrowed
   * for the call, and hold arbitrary bytes where they are to be written. A reference is null where there is nothing: 0 bytes, or an
   * input or output that the flags do not ask for. Runs on the thread that runs the executor (or the profiler), one at a time for
   * one executor; may block; calls of that executor and its chain return {@link Status#INVALID_STATE}. An exception ends the
   * operation with {@link Status#CALLBACK}.
   */
  void backward(LayerContext context, ByteBuffer input, ByteBuffer output, ByteBuffer tape, ByteBuffer gradOutput,
      ByteBuffer gradInput, ByteBuffer workspace);
}
