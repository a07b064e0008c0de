package org.ckpt;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.List;

/**
 * An object store of your own. A file is there whole when its sync has returned, and not before; a new one replaces that of its name.
 * What was written, removed or refused is seen by the next call of anyone. There are no directories, renames and locks. {@link
 * #readRanges} and {@link #removeMany} need not be there: the library asks read and remove then.
 *
 * @param <F> what a file is
 */
public interface CustomObjects<F> extends CustomObjectsMethods<F> {
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
}
