// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

import java.nio.ByteBuffer;

/** The functions of {@link CustomLayer}. */
interface CustomLayerMethods {
  /** Sum of {@link LayerFlag}. */
  default int flags() {
    return LayerFlag.NEEDS_INPUT | LayerFlag.DETERMINISTIC;
  }

  /** Number of options (ways to run the layer), 1 .. 64. */
  default int options() {
    return 1;
  }

  /** Bytes of state outside the arguments that forward reads (a random generator); 0: none. */
  default long ambientBytes() {
    return 0L;
  }

  /**
   * Returns dtype and shape of the output for an input; refuses an input by an exception. Called once when an executor, a profile
   * or a pipeline is created, and not in a step unless {@link RecomputeCheck#METADATA} is set: an invalid dtype or shape is {@link
   * Status#INVALID_ARGUMENT}. Runs on the thread that creates or runs that object; may block; calls of that executor and its chain
   * return {@link Status#INVALID_STATE}. An exception fails the operation with {@link Status#CALLBACK}.
   */
  TensorSpec output(TensorSpec input);

  /** Computes the output; must produce the same bits with and without tape, and in each run if the layer is deterministic. */
  void forward(LayerContext context, ByteBuffer input, ByteBuffer output, ByteBuffer tape, ByteBuffer workspace);

  /**
   * Computes gradInput from gradOutput, and adds to the gradients of the layer's parameters. Buffers are 64-byte aligned and
   * borrowed for the call; the contents of output buffers are undefined. A reference is null for 0 bytes, and for an input or
   * output that the flags do not request. Runs on the thread that runs the executor (or the profiler), one at a time for one
   * executor; may block; calls of that executor and its chain return {@link Status#INVALID_STATE}. An exception fails the operation
   * with {@link Status#CALLBACK}.
   */
  void backward(LayerContext context, ByteBuffer input, ByteBuffer output, ByteBuffer tape, ByteBuffer gradOutput,
      ByteBuffer gradInput, ByteBuffer workspace);
}
