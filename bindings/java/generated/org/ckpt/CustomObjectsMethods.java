// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

import java.io.IOException;
import java.nio.ByteBuffer;

/** The functions of {@link CustomObjects}. */
interface CustomObjectsMethods<F> extends CustomStorage<F> {
  /**
   * Makes a new file that is written without gaps from front to back, then synced once, and opens it. expectedBytes: about how many
   * will come; 0: not known.
   */
  F createStream(String path, long expectedBytes) throws IOException;

  /**
   * Makes a file of these bytes, whole and durable, if there is none of that name; {@link Status#ALREADY_EXISTS} when there is one,
   * which stays as it was. Atomic: of several callers at once, in any process, one succeeds. {@link Status#UNSUPPORTED} where the
   * place can't do that.
   */
  void putIfAbsent(String path, ByteBuffer buffer) throws IOException;

  /**
   * Lists files by their whole paths: returns each file whose path begins with prefix and comes behind after ("": from the first
   * one on), in ascending order of the paths' bytes, for limit (&gt;= 1) files at most. The operation fails with {@link
   * Status#CALLBACK} when a path is listed twice, out of order, or without the prefix, or leaves the root.
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
