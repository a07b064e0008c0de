// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/** The methods of {@link Storage} that are one call of the C API. */
abstract class StorageMethods extends NativeObject {
  StorageMethods(long address) {
    super(address, Native::ckpt_storage_release);
  }

  static Storage created(Into<long[]> create) {
    return new Storage(number(create));
  }

  /** Creates an empty storage in memory: for tests, and for state that need not outlive the process. */
  public static Storage memory() {
    return Storage.created(Native::ckpt_storage_create_memory);
  }

  /**
   * Creates a storage that wraps inner, which is kept alive. It retries operations that fail with {@link Status#IO}, {@link
   * Status#BUSY} or {@link Status#TIMEOUT} by the rules of the handler, and logs a warning for each retry. All other errors ({@link
   * Status#NO_SPACE}, {@link Status#PERMISSION}, {@link Status#CORRUPT}, ...) are reported at once. If the handler has a decide
   * function, that function decides instead. Never retried are locks, and the sync of a file or directory: after a failed sync the
   * system may report success for bytes that it has lost. A save writes the file again instead.
   */
  public Storage retrying(FaultHandler handler) {
    return Storage.created(out -> Native.ckpt_storage_create_retrying(this, handler, out));
  }

  /** Unregisters a scheme; storages created with it stay valid. {@link Status#NOT_FOUND} for any other. Synchronized. */
  public static void unregisterScheme(String scheme) {
    Native.ckpt_storage_unregister_scheme(scheme);
  }
}
