package org.ckpt;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.util.List;

/**
 * An object store of your own. A file is there whole when its sync has returned, and not before; a new one replaces that of its name.
 * What was written, removed or refused is seen by the next call of anyone. There are no directories, renames and locks. {@link
 * #readRanges} and {@link #removeMany} need not be there: the library asks read and remove then.
 *
 * @param <F> what a file is
 */
public interface CustomObjects<F> extends CustomStorage<F> {
  /**
   * Makes a file that is written from front to back, then synced once.
   *
   * @param path of it
   * @param expectedBytes about how many will come; 0: not known
   * @return not null
   * @throws IOException when it cannot be made
   */
  F createStream(String path, long expectedBytes) throws IOException;

  /**
   * Makes a file of these bytes, whole and durable, if there is none of that name. Of several callers at once one succeeds.
   *
   * @param path of it
   * @param data all of it
   * @throws IOException FileAlreadyExistsException when there is one, which stays as it was
   * @throws CkptUnsupportedException where the place cannot do that
   */
  void putIfAbsent(String path, ByteBuffer data) throws IOException;

  /**
   * Files whose paths begin with prefix and come behind after, in ascending order of their bytes.
   *
   * @param prefix of all paths
   * @param after "": from the first one on
   * @param limit of them at most
   * @return the files
   * @throws IOException when they are not known
   */
  Iterable<StorageObject> listFrom(String prefix, String after, long limit) throws IOException;

  /**
   * Fills the buffers of all ranges, at the same time where the place can. This one asks read, one piece after the other.
   *
   * @param file from open
   * @param ranges of the file
   * @throws IOException when reading fails
   * @throws CkptInvalidArgumentException when the file ends before one does
   */
  default void readRanges(F file, List<StorageRange> ranges) throws IOException {
    for (StorageRange range : ranges) {
      if (read(file, range.offset(), range.buffer().duplicate()) != range.buffer().remaining()) {
        throw new CkptInvalidArgumentException("the file ends before the range at " + range.offset() + " does");
      }
    }
  }

  /**
   * Removes files; those that are not there are no error. This one asks remove, one after the other.
   *
   * @param paths of the files
   * @throws IOException when one cannot be removed
   */
  default void removeMany(List<String> paths) throws IOException {
    for (String path : paths) {
      try {
        remove(path);
      } catch (NoSuchFileException | CkptNotFoundException gone) {
        // As it should be.
      }
    }
  }

  @Override
  default F create(String path) throws IOException {
    return createStream(path, 0);
  }

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
