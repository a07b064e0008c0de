// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

import java.io.IOException;
import java.nio.ByteBuffer;

/** The functions of {@link CustomObjects}. */
interface CustomObjectsMethods<F> extends CustomStorage<F> {
  /**
   * Creates a new file that is written without gaps from front to back, then synced once, and opens it. expectedBytes: estimated
   * size of the file in bytes; 0: not known.
   */
  F createStream(String path, long expectedBytes) throws IOException;

  /**
   * Creates a complete, durable file of these bytes if path does not exist; {@link Status#ALREADY_EXISTS} if it does, and the
   * existing file stays unchanged. Atomic: of several concurrent callers, in any process, one succeeds. {@link Status#UNSUPPORTED}
   * if the storage cannot do this.
   */
  void putIfAbsent(String path, ByteBuffer buffer) throws IOException;

  /**
   * Lists files by their full paths: returns each file with a path that begins with prefix and is greater than after ("": all), in
   * ascending order of the paths' bytes, for at most limit (&gt;= 1) files. The operation fails with {@link Status#CALLBACK} if a
   * path is listed twice, out of order, or without the prefix, or leaves the root.
   */
  Iterable<StorageObject> listFrom(String prefix, String after, long limit) throws IOException;

  @Override
  default void rename(String from, String to) {
    throw new CkptUnsupportedException("an object store has no rename");
  }

  @Override
  default void removeDirectory(String path) {
    throw new CkptUnsupportedException("an object store has no removeDirectory");
  }

  @Override
  default void makeDirectory(String path) {
    throw new CkptUnsupportedException("an object store has no makeDirectory");
  }

  @Override
  default void syncDirectory(String path) {
    throw new CkptUnsupportedException("an object store has no syncDirectory");
  }

  @Override
  default Iterable<StorageEntry> list(String path) {
    throw new CkptUnsupportedException("an object store has no list");
  }

  @Override
  default Object lock(String path) {
    throw new CkptUnsupportedException("an object store has no lock");
  }

  @Override
  default void unlock(Object lock) {
    throw new CkptUnsupportedException("an object store has no unlock");
  }
}
