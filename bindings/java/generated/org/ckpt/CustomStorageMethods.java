// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

import java.io.IOException;
import java.nio.ByteBuffer;

/** The functions of {@link CustomStorage}. */
interface CustomStorageMethods<F> {
  /** Creates a new, empty file and opens it for writing; {@link Status#ALREADY_EXISTS} if the name exists. */
  F create(String path) throws IOException;

  /** Opens an existing file for reading. */
  F open(String path) throws IOException;

  /** Closes a file; bytes that were not synced may be lost. */
  void close(F file) throws IOException;

  /** Returns the length of an open file. */
  long fileSize(F file) throws IOException;

  /** Reads bytes at offset into buffer; returns the number of bytes read, fewer only at the end of the file. */
  int read(F file, long offset, ByteBuffer buffer) throws IOException;

  /** Writes all bytes at offset, which may be before, at or after the end of the file. */
  void write(F file, long offset, ByteBuffer buffer) throws IOException;

  /** Makes all bytes written to the file durable: returns only when all of them are. Not called again after an error. */
  void sync(F file) throws IOException;

  /** Renames a file or directory atomically; replaces an existing file of the new name. */
  void rename(String from, String to) throws IOException;

  /** Removes a file. */
  void remove(String path) throws IOException;

  /** Removes an empty directory; {@link Status#ALREADY_EXISTS} if it is not empty. */
  void removeDirectory(String path) throws IOException;

  /** Creates one directory; its parent exists. */
  void makeDirectory(String path) throws IOException;

  /** Makes created, renamed and removed names in a directory durable. */
  void syncDirectory(String path) throws IOException;

  /**
   * Lists a directory: returns each name in the directory at path, in any order, without "." and "..". The operation fails with
   * {@link Status#CALLBACK} if a name is listed twice or is not a single path component.
   */
  Iterable<StorageEntry> list(String path) throws IOException;

  /** Returns the length of the regular file at path; {@link Status#INVALID_ARGUMENT} for anything else. */
  long size(String path) throws IOException;

  /** Takes an exclusive lock on a path; {@link Status#BUSY} at once if another process or storage holds it. */
  Object lock(String path) throws IOException;

  /** Releases a lock. Not called in a forked child: the lock remains with the parent. */
  void unlock(Object lock) throws IOException;
}
