package org.ckpt;

import java.nio.file.Path;
import java.util.Objects;

/** Where files live: a directory of the file system, memory, or functions of yours. Synchronised. */
public final class Storage extends StorageMethods {
  Storage(long address) {
    super(address);
  }

  /**
   * A storage from a URI: file:///PATH, memory:NAME, s3://BUCKET/PREFIX, or one of a scheme that is registered. A text without a
   * scheme is a directory of the file system, which is made when it is not there.
   *
   * @param uri the text
   * @return the storage
   * @throws CkptUnsupportedException for a scheme that is not known
   */
  public static Storage fromUri(String uri) {
    try (NativeLoader.Unpacked unpacked = NativeLoader.unpackedFor(uri)) {
      return made(out -> Native.ckpt_storage_create_from_uri(uri, unpacked.folder(), out));
    }
  }

  /**
   * Lets {@link #fromUri} make storages for a scheme, on all threads of this process.
   *
   * @param scheme without ':', at least two of letters, digits, '+', '-' and '.', a letter first; case does not matter
   * @param factory pinned until {@link #unregisterScheme}
   * @throws CkptAlreadyExistsException for a scheme that is known
   */
  public static void registerScheme(String scheme, StorageFactory factory) {
    Objects.requireNonNull(factory, "factory");
    Native.ckpt_storage_register_scheme(scheme, new NativeStorageFactory() {
      @Override
      public NativeObject make(String uri) {
        Storage made = Items.asked(() -> factory.make(uri));
        return made == null ? null : made.handOver();
      }
    }.pinned());
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
   * A storage that calls you; an object store, if it is a {@link CustomObjects}.
   *
   * @param <F> what a file is
   * @param name where it is, for messages
   * @param storage pinned as long as the library needs it
   * @return the storage
   */
  public static <F> Storage custom(String name, CustomStorage<F> storage) {
    boolean isObjects = storage instanceof CustomObjects<F>;
    boolean readsRanges = isObjects && overrides(storage, CustomObjects.class, "readRanges");
    boolean removesMany = isObjects && overrides(storage, CustomObjects.class, "removeMany");
    return made(out -> Native.ckpt_storage_create_custom(
        name, new CustomStorageFunctions<>(storage).pinned(), isObjects, readsRanges, removesMany, out));
  }
}
