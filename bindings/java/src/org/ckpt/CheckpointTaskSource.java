package org.ckpt;

import java.nio.ByteBuffer;

/** Reads tensors for a save, for memory that the library cannot read itself. */
@FunctionalInterface
public interface CheckpointTaskSource {
  /**
   * Fills a buffer with a tensor's bytes. Called on the saving thread or others, several at once; for each byte at least once. If
   * it throws, the save fails with {@link CkptCallbackException}.
   *
   * @param group of the state
   * @param name of the tensor
   * @param address of the tensor's first byte, as given to the library
   * @param offset of the first byte to read
   * @param buffer direct; valid during the call only
   */
  void read(String group, String name, long address, long offset, ByteBuffer buffer);
}
