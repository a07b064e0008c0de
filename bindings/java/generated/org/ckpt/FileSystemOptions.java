// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

import java.lang.ref.Reference;

/** Options for creating a storage in the file system. */
public final class FileSystemOptions {
  private boolean mustExist = false;
  private WritePath writePath = WritePath.RING;
  private long largeFromBytes = 0L;
  private long bytesPerSecond = 0L;
  private boolean mayCompress = false;
  private String lockKind = null;

  /** All defaults. */
  public FileSystemOptions() {}

  /**
   * What happens if the directory is missing: false creates it and its parents durably; true: {@link Status#NOT_FOUND}. Default:
   * false.
   *
   * @param mustExist the value
   * @return this
   */
  public FileSystemOptions mustExist(boolean mustExist) {
    this.mustExist = mustExist;
    return this;
  }

  /** {@return the value set by {@link #mustExist(boolean)}} */
  public boolean mustExist() {
    return mustExist;
  }

  /**
   * How large files are written: {@link WritePath#RING}, {@link WritePath#DIRECT} or {@link WritePath#BUFFERED}. Default: {@link
   * WritePath#RING}.
   *
   * @param writePath the value
   * @return this
   */
  public FileSystemOptions writePath(WritePath writePath) {
    this.writePath = writePath;
    return this;
  }

  /** {@return the value set by {@link #writePath(WritePath)}} */
  public WritePath writePath() {
    return writePath;
  }

  /**
   * Smallest size of a large file in bytes, &gt;= 0; 0: 8 MiB. Default: 0.
   *
   * @param largeFromBytes the value
   * @return this
   */
  public FileSystemOptions largeFromBytes(long largeFromBytes) {
    this.largeFromBytes = largeFromBytes;
    return this;
  }

  /** {@return the value set by {@link #largeFromBytes(long)}} */
  public long largeFromBytes() {
    return largeFromBytes;
  }

  /**
   * Limit of all writes through this storage together, in bytes per second, &gt;= 0; 0: none. After a pause, 4 MiB may be written
   * at once. Reads of executors from the files of their tiers have a separate limit of the same value. Default: 0.
   *
   * @param bytesPerSecond the value
   * @return this
   */
  public FileSystemOptions bytesPerSecond(long bytesPerSecond) {
    this.bytesPerSecond = bytesPerSecond;
    return this;
  }

  /** {@return the value set by {@link #bytesPerSecond(long)}} */
  public long bytesPerSecond() {
    return bytesPerSecond;
  }

  /**
   * False: a save that needs more bytes than the file system has free fails with {@link Status#NO_SPACE} before it creates a file;
   * true: the save is tried anyway. For file systems that compress, where a file may occupy less space than its size. Default:
   * false.
   *
   * @param mayCompress the value
   * @return this
   */
  public FileSystemOptions mayCompress(boolean mayCompress) {
    this.mayCompress = mayCompress;
    return this;
  }

  /** {@return the value set by {@link #mayCompress(boolean)}} */
  public boolean mayCompress() {
    return mayCompress;
  }

  /**
   * Kind of lock that excludes a second writer; all writers of a directory must use the same kind. Null or empty: "flock", a lock
   * of flock(2) on the file ".lock"; if the file system has no such locks, opening a writer fails with {@link Status#UNSUPPORTED}.
   * "fcntl": a record lock (fcntl(2)) on ".lock", which belongs to the open file where the system has F_OFD_SETLK; elsewhere to the
   * process, which loses it when it closes any descriptor of ".lock". "file": a file ".lock-..." that records the host, process and
   * start time of the writer, and is removed when the writer is released. If the recorded process ran on this host and has ended,
   * its file is taken over; any other file means {@link Status#BUSY}. "none": no lock, and a warning; a save fails with {@link
   * Status#BUSY} before it commits if a second writer has committed. {@link Status#INVALID_ARGUMENT} for other names.
   *
   * @param lockKind the value
   * @return this
   */
  public FileSystemOptions lockKind(String lockKind) {
    this.lockKind = lockKind;
    return this;
  }

  /** {@return the value set by {@link #lockKind(String)}} */
  public String lockKind() {
    return lockKind;
  }

  /** Calls with these values, and keeps them alive during the call. */
  void with(NativeObject.Into<ckpt_file_system_options> call) {
    try (ckpt_file_system_options struct = new ckpt_file_system_options()) {
      struct.setMust_exist(mustExist ? 1 : 0);
      struct.setWrite_path(writePath.number());
      struct.setLarge_from_bytes(largeFromBytes);
      struct.setBytes_per_second(bytesPerSecond);
      struct.setMay_compress(mayCompress ? 1 : 0);
      if (lockKind != null) struct.setLock_kind(lockKind);
      call.call(struct);
    } finally {
      Reference.reachabilityFence(this);
    }
  }
}
