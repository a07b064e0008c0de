package org.ckpt;

import java.nio.ByteBuffer;

/**
 * A layer of your own. Its parameters and their gradients stay yours. Runs on the thread that runs the executor, one call at a time
 * for one executor. Buffers are direct and in native order, and lent: <b>valid during the call only</b>; null where there is
 * nothing. Those that are only to be read are read-only. The context's targets and pool are closed behind the call; targets may be
 * shared. What a method throws ends the step with {@link CkptCallbackException}.
 */
public interface CustomLayer {
  /**
   * What backward reads, and whether forward may run again.
   *
   * @return a sum of {@link LayerFlag}
   */
  default int flags() {
    return LayerFlag.NEEDS_INPUT | LayerFlag.DETERMINISTIC;
  }

  /**
   * Ways to run it.
   *
   * @return 1 .. 64
   */
  default int options() {
    return 1;
  }

  /**
   * Bytes of state outside the arguments that forward reads, such as a random generator.
   *
   * @return 0: none
   */
  default long ambientBytes() {
    return 0;
  }

  /**
   * Type and shape of the output; throws to refuse an input.
   *
   * @param input type and shape
   * @return of the output
   */
  TensorSpec output(TensorSpec input);

  /**
   * What an option needs.
   *
   * @param input type and shape
   * @param option 0 .. options-1
   * @return bytes
   */
  default LayerOption option(TensorSpec input, int option) {
    return new LayerOption(0, 0, 0);
  }

  /**
   * Fills output, and the tape when there is one; the same bits with and without tape.
   *
   * @param context where and when
   * @param input to be read
   * @param output to be written
   * @param tape to be written; null: not wanted
   * @param workspace to be used as one likes; null: none
   */
  void forward(LayerContext context, ByteBuffer input, ByteBuffer output, ByteBuffer tape, ByteBuffer workspace);

  /**
   * Fills the tape as forward does, in forward's workspace, and makes no output. A class without one of its own runs forward where
   * only the tape is wanted.
   *
   * @param context where and when
   * @param input to be read
   * @param tape to be written
   * @param workspace to be used as one likes; null: none
   */
  default void record(LayerContext context, ByteBuffer input, ByteBuffer tape, ByteBuffer workspace) {
    throw new UnsupportedOperationException("record");
  }

  /**
   * Fills gradInput, and adds to the gradients of parameters.
   *
   * @param context where and when
   * @param input to be read; null unless the flags ask for it
   * @param output to be read; null unless the flags ask for it
   * @param tape what forward recorded
   * @param gradOutput to be read
   * @param gradInput to be written; null: not wanted
   * @param workspace to be used as one likes; null: none
   */
  void backward(
      LayerContext context, ByteBuffer input, ByteBuffer output, ByteBuffer tape, ByteBuffer gradOutput, ByteBuffer gradInput,
      ByteBuffer workspace);

  /**
   * Writes the ambient state.
   *
   * @param state of ambientBytes
   */
  default void saveAmbient(ByteBuffer state) {}

  /**
   * Reads it back.
   *
   * @param state of ambientBytes
   */
  default void restoreAmbient(ByteBuffer state) {}
}
