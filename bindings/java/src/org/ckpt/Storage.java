package org.ckpt;

import java.nio.file.Path;

/** Where files live: a directory of the file system, memory, or functions of yours. Synchronised. */
public final class Storage extends NativeObject {
  private Storage(long address) {
    super(address, Native::ckpt_storage_release);
  }

  static Storage made(Into<long[]> create) {
    return new Storage(number(create));
  }

  /**
   * A storage in a directory, which is made when it is not there.
   *
   * @param root the directory
   * @return the storage
   */
  public static Storage fileSystem(Path root) {
    return fileSystem(root, new FileSystemOptions());
  }

  /**
   * A storage in a directory.
   *
   * @param root the directory
   * @param options how it works
   * @return the storage
   */
  public static Storage fileSystem(Path root, FileSystemOptions options) {
    return made(out -> options.with(
        struct -> Native.ckpt_storage_create_file_system(root.toString(), struct, out)));
  }

  /**
   * A storage in memory, empty.
   *
   * @return the storage
   */
  public static Storage memory() {
    return made(Native::ckpt_storage_create_memory);
  }

  /**
   * A storage that calls you.
   *
   * @param <F> what a file is
   * @param name where it is, for messages
   * @param storage pinned as long as the library needs it
   * @return the storage
   */
  public static <F> Storage custom(String name, CustomStorage<F> storage) {
    return made(out -> Native.ckpt_storage_create_custom(name, new CustomStorageFunctions<>(storage).pinned(), out));
  }

  /**
   * A storage before this one that tries failed operations again.
   *
   * @param handler says which, and when
   * @return the storage, which keeps this one
   */
  public Storage retrying(FaultHandler handler) {
    return made(out -> Native.ckpt_storage_create_retrying(this, handler, out));
  }
}
