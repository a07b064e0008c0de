package org.ckpt;

import java.nio.ByteBuffer;

/**
 * A layer of your own. Its parameters and their gradients stay yours. Runs on the thread that runs the executor, one call at a time
 * for one executor. Buffers are direct and in native order, and lent: <b>valid during the call only</b>; null where there is
 * nothing. Those that are only to be read are read-only. The context's targets and pool are closed behind the call; targets may be
 * shared. What a method throws ends the step with {@link CkptCallbackException}.
 */
public interface CustomLayer extends CustomLayerMethods {
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
