// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

import java.io.IOException;
import java.nio.ByteBuffer;

/** The functions of {@link CustomStorage}. */
interface CustomStorageMethods<F> {
  /** Makes a new, empty file and opens it for writing; {@link Status#ALREADY_EXISTS} when the name is taken. */
  F create(String path) throws IOException;

  /** Opens an existing file for reading. */
  F open(String path) throws IOException;

  /** Closes a file; what was not synced may be lost. */
  void close(F file) throws IOException;

  /** Returns the length of an open file. */
  long fileSize(F file) throws IOException;

  /** Reads bytes from offset on into buffer; returns how many there were, fewer only at the end of the file. */
  int read(F file, long offset, ByteBuffer buffer) throws IOException;

  /** Writes all bytes at offset, which may lie before, at or behind the file's end. */
  void write(F file, long offset, ByteBuffer buffer) throws IOException;

  /** Makes what was written to the file durable: returns only when all of it is. It is not called again after an error. */
  void sync(F file) throws IOException;

  /** Renames a file or directory, atomically; a file that had the new name is replaced. */
  void rename(String from, String to) throws IOException;

  /** Removes a file. */
  void remove(String path) throws IOException;

  /** Removes an empty directory; {@link Status#ALREADY_EXISTS} when it is not empty. */
  void removeDirectory(String path) throws IOException;

  /** Makes one directory, whose parent exists. */
  void makeDirectory(String path) throws IOException;

  /** Makes names that were made, renamed and removed in a directory durable. */
  void syncDirectory(String path) throws IOException;

  /**
   * Lists a directory: returns each name in the directory at path, in any order, without "." and "..". The operation fails with
   * {@link Status#CALLBACK} when a name is listed twice or is not one component of a path.
   */
  Iterable<StorageEntry> list(String path) throws IOException;

  /** Returns the length of the regular file at path; {@link Status#INVALID_ARGUMENT} for what is none. */
  long size(String path) throws IOException;

  /** Takes an exclusive lock on a path; {@link Status#BUSY} at once when another process or storage holds it. */
  Object lock(String path) throws IOException;

  /** Releases a lock. Not called in a forked child: the lock stays the parent's. */
  void unlock(Object lock) throws IOException;
}
