package org.ckpt;

/**
 * A custom storage. Paths are relative, with '/' between their components; "" is the root. Files and locks are the objects that
 * {@link #create}, {@link #open} and {@link #lock} return. Throw {@link java.nio.file.NoSuchFileException} for a missing file,
 * {@link java.nio.file.FileAlreadyExistsException} for an existing name, {@link CkptBusyException} for a lock that is held,
 * {@link java.nio.file.AccessDeniedException}, {@link CkptNoSpaceException}, or any other IOException, which a fault handler
 * retries. Several methods may run at once, but only one per file; none may use its own storage. Buffers are direct and valid
 * during the call only.
 *
 * @param <F> type of a file
 */
public interface CustomStorage<F> extends CustomStorageMethods<F> {}
