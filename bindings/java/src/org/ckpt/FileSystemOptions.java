package org.ckpt;

/** How a storage in a directory works. */
public final class FileSystemOptions {
  private Boolean mustExist;
  private WritePath writePath;
  private Long largeFromBytes;
  private Long bytesPerSecond;

  /** All defaults. */
  public FileSystemOptions() {}

  /**
   * False, the default, makes the directory and those that lead to it.
   *
   * @param mustExist the value
   * @return this
   */
  public FileSystemOptions mustExist(boolean mustExist) {
    this.mustExist = mustExist;
    return this;
  }

  /**
   * How large files are written; default RING.
   *
   * @param writePath the value
   * @return this
   */
  public FileSystemOptions writePath(WritePath writePath) {
    this.writePath = writePath;
    return this;
  }

  /**
   * Files of at least so many bytes count as large; 0, the default: 8 MiB.
   *
   * @param largeFromBytes the value
   * @return this
   */
  public FileSystemOptions largeFromBytes(long largeFromBytes) {
    this.largeFromBytes = largeFromBytes;
    return this;
  }

  /**
   * Limit of all writes through this storage together; 0, the default: none.
   *
   * @param bytesPerSecond the value
   * @return this
   */
  public FileSystemOptions bytesPerSecond(long bytesPerSecond) {
    this.bytesPerSecond = bytesPerSecond;
    return this;
  }

  /** Changes what was set; everything else keeps the library's default. */
  void apply(ckpt_file_system_options struct) {
    if (mustExist != null) struct.setMust_exist(mustExist ? 1 : 0);
    if (writePath != null) struct.setWrite_path(writePath.number());
    if (largeFromBytes != null) struct.setLarge_from_bytes(largeFromBytes);
    if (bytesPerSecond != null) struct.setBytes_per_second(bytesPerSecond);
  }
}
