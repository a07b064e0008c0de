package org.ckpt;

import java.nio.ByteBuffer;

/** Reads tensors for a save, for memory that the library cannot read itself. */
@FunctionalInterface
public interface CheckpointTaskSource {
  /**
   * Fills a buffer with a tensor's bytes. Called on the saving thread or others, several at once; each byte at least once. What it
   * throws makes the save fail with {@link CkptCallbackException}.
   *
   * @param group of the state
   * @param name of the tensor
   * @param address of the tensor's first byte, as the library knows it
   * @param offset of the first byte wanted
   * @param buffer direct; valid during the call only
   */
  void read(String group, String name, long address, long offset, ByteBuffer buffer);
}
