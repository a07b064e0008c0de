package org.ckpt;

import java.io.IOException;

/** Makes storages of a scheme of your own, for {@link Storage#registerScheme}. */
@FunctionalInterface
public interface StorageFactory {
  /**
   * One storage. Runs on the thread that asks for it, several at once.
   *
   * @param uri the whole of it, checked, still encoded
   * @return a new storage, which the library takes over: it is closed when the call ends
   * @throws IOException what is reported to the caller, as from a custom storage's functions
   */
  Storage make(String uri) throws IOException;
}
