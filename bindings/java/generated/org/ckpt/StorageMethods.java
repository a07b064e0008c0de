// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/** The methods of {@link Storage} that are one call of the C API. */
abstract class StorageMethods extends NativeObject {
  StorageMethods(long address) {
    super(address, Native::ckpt_storage_release);
  }

  static Storage made(Into<long[]> create) {
    return new Storage(number(create));
  }

  /** Creates an empty storage in memory: for tests, and for state that need not outlive the process. */
  public static Storage memory() {
    return Storage.made(Native::ckpt_storage_create_memory);
  }

  /**
   * Creates a storage before another one, which is kept alive: operations that fail with {@link Status#IO}, {@link Status#BUSY} or
   * {@link Status#TIMEOUT} are tried again as the handler says, with a warning in the log each time. All other errors ({@link
   * Status#NO_SPACE}, {@link Status#PERMISSION}, {@link Status#CORRUPT}, ...) are reported at once. A handler with a decide
   * function asks that instead. Never tried again: the sync of a file or directory, since the system may report success for what it
   * has lost (a save writes the file anew instead), and a lock.
   */
  public Storage retrying(FaultHandler handler) {
    return Storage.made(out -> Native.ckpt_storage_create_retrying(this, handler, out));
  }

  /** Forgets a registered scheme; storages made by it live on. {@link Status#NOT_FOUND} for any other. Synchronised. */
  public static void unregisterScheme(String scheme) {
    Native.ckpt_storage_unregister_scheme(scheme);
  }
}
