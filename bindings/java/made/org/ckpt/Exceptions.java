// Made from include/ckpt by tools/api: do not edit.
package org.ckpt;

/** The exception for each status. */
final class Exceptions {
  private Exceptions() {}

  static CkptException of(Status status, String message) {
    return switch (status) {
      case INVALID_ARGUMENT -> new CkptInvalidArgumentException(message);
      case OUT_OF_MEMORY -> new CkptOutOfMemoryException(message);
      case OUT_OF_RANGE -> new CkptOutOfRangeException(message);
      case INVALID_STATE -> new CkptInvalidStateException(message);
      case NOT_FOUND -> new CkptNotFoundException(message);
      case ALREADY_EXISTS -> new CkptAlreadyExistsException(message);
      case BUSY -> new CkptBusyException(message);
      case TIMEOUT -> new CkptTimeoutException(message);
      case CANCELLED -> new CkptCancelledException(message);
      case CALLBACK -> new CkptCallbackException(message);
      case FORKED -> new CkptForkedException(message);
      case QUEUE_FULL -> new CkptQueueFullException(message);
      case CLOSED -> new CkptClosedException(message);
      case IO -> new CkptIoException(message);
      case NO_SPACE -> new CkptNoSpaceException(message);
      case PERMISSION -> new CkptPermissionException(message);
      case CORRUPT -> new CkptCorruptException(message);
      case UNSUPPORTED -> new CkptUnsupportedException(message);
      case OVER_BUDGET -> new CkptOverBudgetException(message);
      case INVALID_SCHEDULE -> new CkptInvalidScheduleException(message);
      case INTERNAL -> new CkptInternalException(message);
      default -> new CkptException(status, message);
    };
  }
}
