package org.ckpt;

import java.nio.file.Path;
import java.util.Objects;

/** A storage of files: a directory of the file system, memory, or custom functions. Synchronized. */
public final class Storage extends StorageMethods {
  Storage(long address) {
    super(address);
  }

  /**
   * Opens the storage at a URI: file:///PATH, memory:NAME, s3://BUCKET/PREFIX, or one with a registered scheme. A string without a
   * scheme is a directory of the file system, which is created if missing.
   *
   * @param uri the URI or path
   * @return the storage
   * @throws CkptUnsupportedException for an unknown scheme
   */
  public static Storage fromUri(String uri) {
    try (NativeLoader.Unpacked unpacked = NativeLoader.unpackedFor(uri)) {
      return created(out -> Native.ckpt_storage_create_from_uri(uri, unpacked.folder(), out));
    }
  }

  /**
   * Makes {@link #fromUri} create storages for a scheme, on all threads of this process.
   *
   * @param scheme without ':', at least two of letters, digits, '+', '-' and '.', a letter first; case does not matter
   * @param factory pinned until {@link #unregisterScheme}
   * @throws CkptAlreadyExistsException for a known scheme
   */
  public static void registerScheme(String scheme, StorageFactory factory) {
    Objects.requireNonNull(factory, "factory");
    Native.ckpt_storage_register_scheme(scheme, new NativeStorageFactory() {
      @Override
      public NativeObject make(String uri) {
        Storage created = Items.asked(() -> factory.make(uri));
        return created == null ? null : created.handOver();
      }
    }.pinned());
  }

  /**
   * Opens a storage in a directory, which is created if missing.
   *
   * @param root the directory
   * @return the storage
   */
  public static Storage fileSystem(Path root) {
    return fileSystem(root, new FileSystemOptions());
  }

  /**
   * Opens a storage in a directory, with options.
   *
   * @param root the directory
   * @param options the options of the storage
   * @return the storage
   */
  public static Storage fileSystem(Path root, FileSystemOptions options) {
    return created(out -> options.with(
        struct -> Native.ckpt_storage_create_file_system(root.toString(), struct, out)));
  }

  /**
   * Creates a storage that calls a custom one; an object store, if that is a {@link CustomObjects}.
   *
   * @param <F> type of a file
   * @param name its location, for messages
   * @param storage pinned as long as the library needs it
   * @return the storage
   */
  public static <F> Storage custom(String name, CustomStorage<F> storage) {
    boolean isObjects = storage instanceof CustomObjects<F>;
    boolean readsRanges = isObjects && overrides(storage, CustomObjects.class, "readRanges");
    boolean removesMany = isObjects && overrides(storage, CustomObjects.class, "removeMany");
    return created(out -> Native.ckpt_storage_create_custom(
        name, new CustomStorageFunctions<>(storage).pinned(), isObjects, readsRanges, removesMany, out));
  }
}
