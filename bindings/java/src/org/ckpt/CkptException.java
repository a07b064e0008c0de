package org.ckpt;

/** A failed call of the library, with one subclass for each status. The message states the argument and its value. */
public class CkptException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** The reason of the failure. */
  private final Status status;

  CkptException(Status status, String message) {
    super(message);
    this.status = status;
  }

  /** {@return the reason of the failure, never OK} */
  public Status status() {
    return status;
  }

  /** Creates the exception of a failed call; the native code calls it. */
  static CkptException of(int number, String message) {
    CkptException created = of(Status.of(number), message);
    Throwable cause = CallbackFailures.taken(message);
    if (cause != null) created.initCause(cause);
    return created;
  }

  static CkptException of(Status status, String message) {
    return Exceptions.of(status, message);
  }
}
