package org.ckpt;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.List;

/**
 * A custom object store. A file exists completely once its sync has returned, and not before; a new file replaces the one with its
 * name. Every write, removal and refusal is visible to the next call of any client. Directories, renames and locks are not needed.
 * {@link #readRanges} and {@link #removeMany} are optional: by default the library calls read and remove.
 *
 * @param <F> type of a file
 */
public interface CustomObjects<F> extends CustomObjectsMethods<F> {
  /**
   * Fills the buffers of all ranges, concurrently where the store supports it. By default calls read for one range after the other.
   *
   * @param file from open
   * @param ranges of the file
   * @throws IOException when reading fails
   * @throws CkptInvalidArgumentException when a range exceeds the file
   */
  default void readRanges(F file, List<StorageRange> ranges) throws IOException {
    for (StorageRange range : ranges) {
      if (read(file, range.offset(), range.buffer().duplicate()) != range.buffer().remaining()) {
        throw new CkptInvalidArgumentException("range at " + range.offset() + ": exceeds the end of the file");
      }
    }
  }

  /**
   * Removes files; ignores missing ones. By default calls remove for one after the other.
   *
   * @param paths of the files
   * @throws IOException when one cannot be removed
   */
  default void removeMany(List<String> paths) throws IOException {
    for (String path : paths) {
      try {
        remove(path);
      } catch (NoSuchFileException | CkptNotFoundException gone) {
        // Already removed.
      }
    }
  }

  @Override
  default F create(String path) throws IOException {
    return createStream(path, 0);
  }
}
