package org.ckpt;

import java.nio.ByteBuffer;

/**
 * A custom layer. It owns its parameters and their gradients. Runs on the thread that runs the executor, one call at a time for one
 * executor. Buffers are direct and in native order, and <b>valid during the call only</b>; null where no memory is passed. Buffers
 * that are only read are read-only. The context's targets and pool are closed after the call; targets may be shared. If a method
 * throws, the step fails with {@link CkptCallbackException}.
 */
public interface CustomLayer extends CustomLayerMethods {
  /**
   * Returns the requirements of an option.
   *
   * @param input type and shape
   * @param option 0 .. options-1
   * @return the bytes that the option needs
   */
  default LayerOption option(TensorSpec input, int option) {
    return new LayerOption(0, 0, 0);
  }

  /**
   * Fills the tape like forward, in forward's workspace, without an output. For a class without this method, forward runs when only
   * the tape is needed.
   *
   * @param context the context of the call
   * @param input read
   * @param tape written
   * @param workspace scratch memory; null: none
   */
  default void record(LayerContext context, ByteBuffer input, ByteBuffer tape, ByteBuffer workspace) {
    throw new UnsupportedOperationException("record");
  }

  /**
   * Saves the ambient state.
   *
   * @param state buffer of ambientBytes bytes
   */
  default void saveAmbient(ByteBuffer state) {}

  /**
   * Restores the ambient state.
   *
   * @param state buffer of ambientBytes bytes
   */
  default void restoreAmbient(ByteBuffer state) {}
}
