package org.ckpt;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * A storage of your own. Paths are relative, with '/' between their components; "" is the root. Files and locks are whatever
 * objects {@link #create}, {@link #open} and {@link #lock} give. Throw {@link java.nio.file.NoSuchFileException} for what is not
 * there, {@link java.nio.file.FileAlreadyExistsException} for a taken name, {@link CkptBusyException} for a lock that is held,
 * {@link java.nio.file.AccessDeniedException}, {@link CkptNoSpaceException}, or any other IOException, which is what a fault
 * handler tries again. Several methods may run at once, but only one with the same file; none may use its own storage. Buffers are
 * direct and valid during the call only.
 *
 * @param <F> what a file is
 */
public interface CustomStorage<F> {
  /**
   * Makes a new, empty file.
   *
   * @param path of it
   * @return not null
   * @throws IOException FileAlreadyExistsException when the name is taken
   */
  F create(String path) throws IOException;

  /**
   * Opens a file for reading.
   *
   * @param path of it
   * @return not null
   * @throws IOException NoSuchFileException when it is not there
   */
  F open(String path) throws IOException;

  /**
   * The file is not used any more.
   *
   * @param file from create or open
   * @throws IOException is only logged
   */
  void close(F file) throws IOException;

  /**
   * Bytes of an open file.
   *
   * @param file from create or open
   * @return its length
   * @throws IOException when it is not known
   */
  long fileSize(F file) throws IOException;

  /**
   * Reads into a buffer.
   *
   * @param file from create or open
   * @param offset of the first byte
   * @param buffer to be filled
   * @return bytes read, fewer only at the file's end
   * @throws IOException when reading fails
   */
  int read(F file, long offset, ByteBuffer buffer) throws IOException;

  /**
   * Writes all of a buffer.
   *
   * @param file from create
   * @param offset of the first byte, before, at or behind the file's end
   * @param data all of it
   * @throws IOException when writing fails
   */
  void write(F file, long offset, ByteBuffer data) throws IOException;

  /**
   * Returns when all that was written is durable.
   *
   * @param file from create
   * @throws IOException when it is not
   */
  void sync(F file) throws IOException;

  /**
   * Gives a file or directory another name, atomically; a file that had it is replaced.
   *
   * @param from the old name
   * @param to the new name
   * @throws IOException when it cannot be done
   */
  void rename(String from, String to) throws IOException;

  /**
   * Removes a file.
   *
   * @param path of it
   * @throws IOException when it cannot be done
   */
  void remove(String path) throws IOException;

  /**
   * Removes an empty directory.
   *
   * @param path of it
   * @throws IOException DirectoryNotEmptyException when it is not empty
   */
  void removeDirectory(String path) throws IOException;

  /**
   * Makes a directory, one level.
   *
   * @param path of it
   * @throws IOException FileAlreadyExistsException when the name is taken
   */
  void makeDirectory(String path) throws IOException;

  /**
   * Returns when names made, renamed and removed in it are durable.
   *
   * @param path of the directory
   * @throws IOException when they are not
   */
  void syncDirectory(String path) throws IOException;

  /**
   * Everything in a directory.
   *
   * @param path of the directory
   * @return in any order
   * @throws IOException NoSuchFileException when it is not there
   */
  Iterable<StorageEntry> list(String path) throws IOException;

  /**
   * Bytes of a file.
   *
   * @param path of it
   * @return its length
   * @throws IOException NoSuchFileException when it is not there
   */
  long size(String path) throws IOException;

  /**
   * An exclusive lock.
   *
   * @param path of it
   * @return not null
   * @throws IOException when it cannot be had; {@link CkptBusyException} at once when another has it
   */
  Object lock(String path) throws IOException;

  /**
   * Releases a lock.
   *
   * @param lock from lock
   * @throws IOException is only logged
   */
  void unlock(Object lock) throws IOException;
}
