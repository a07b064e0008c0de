package org.ckpt;

/**
 * A storage of your own. Paths are relative, with '/' between their components; "" is the root. Files and locks are whatever
 * objects {@link #create}, {@link #open} and {@link #lock} give. Throw {@link java.nio.file.NoSuchFileException} for what is not
 * there, {@link java.nio.file.FileAlreadyExistsException} for a taken name, {@link CkptBusyException} for a lock that is held,
 * {@link java.nio.file.AccessDeniedException}, {@link CkptNoSpaceException}, or any other IOException, which is what a fault
 * handler tries again. Several methods may run at once, but only one with the same file; none may use its own storage. Buffers are
 * direct and valid during the call only.
 *
 * @param <F> what a file is
 */
public interface CustomStorage<F> extends CustomStorageMethods<F> {}
