package org.ckpt;

import java.io.IOException;

/** Creates storages of a custom scheme, for {@link Storage#registerScheme}. */
@FunctionalInterface
public interface StorageFactory {
  /**
   * Creates one storage. Runs on the thread that opens it, several at once.
   *
   * @param uri the whole URI, checked, still encoded
   * @return a new storage, which the library takes over: it is closed when the call ends
   * @throws IOException reported to the caller, as from a custom storage's functions
   */
  Storage make(String uri) throws IOException;
}
