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

  /**
   * Why the call failed.
   *
   * @return the status, never OK
   */
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
    return switch (status) {
      case INVALID_ARGUMENT -> new InvalidArgumentException(message);
      case OUT_OF_MEMORY -> new OutOfMemoryException(message);
      case OUT_OF_RANGE -> new OutOfRangeException(message);
      case INVALID_STATE -> new InvalidStateException(message);
      case NOT_FOUND -> new NotFoundException(message);
      case ALREADY_EXISTS -> new AlreadyExistsException(message);
      case BUSY -> new BusyException(message);
      case TIMEOUT -> new TimeoutException(message);
      case CANCELLED -> new CancelledException(message);
      case CALLBACK -> new CallbackException(message);
      case FORKED -> new ForkedException(message);
      case QUEUE_FULL -> new QueueFullException(message);
      case CLOSED -> new ClosedException(message);
      case IO -> new IoException(message);
      case NO_SPACE -> new NoSpaceException(message);
      case PERMISSION -> new PermissionException(message);
      case CORRUPT -> new CorruptException(message);
      case UNSUPPORTED -> new UnsupportedException(message);
      case OVER_BUDGET -> new OverBudgetException(message);
      case INVALID_SCHEDULE -> new InvalidScheduleException(message);
      case INTERNAL -> new InternalException(message);
      case OK, UNKNOWN -> new CkptException(status, message);
    };
  }
}
