package org.ckpt;

/** A call of the library failed: one subclass for each status. The message names the argument and its value. */
public class CkptException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Why it failed. */
  private final Status status;

  CkptException(Status status, String message) {
    super(message);
    this.status = status;
  }

  /** {@return the reason of the failure, never OK} */
  public Status status() {
    return status;
  }

  /** Called by the native code for every failed call. */
  static CkptException of(int number, String message) {
    CkptException made = of(Status.of(number), message);
    Throwable cause = CallbackFailures.taken(message);
    if (cause != null) made.initCause(cause);
    return made;
  }

  static CkptException of(Status status, String message) {
    return Exceptions.of(status, message);
  }
}
