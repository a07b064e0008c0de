// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/** The exception for each status. */
final class Exceptions {
  private Exceptions() {}

  static CkptException of(Status status, String message) {
    switch (status) {
      case INVALID_ARGUMENT: return new CkptInvalidArgumentException(message);
      case OUT_OF_MEMORY: return new CkptOutOfMemoryException(message);
      case OUT_OF_RANGE: return new CkptOutOfRangeException(message);
      case INVALID_STATE: return new CkptInvalidStateException(message);
      case NOT_FOUND: return new CkptNotFoundException(message);
      case ALREADY_EXISTS: return new CkptAlreadyExistsException(message);
      case BUSY: return new CkptBusyException(message);
      case TIMEOUT: return new CkptTimeoutException(message);
      case CANCELLED: return new CkptCancelledException(message);
      case CALLBACK: return new CkptCallbackException(message);
      case FORKED: return new CkptForkedException(message);
      case QUEUE_FULL: return new CkptQueueFullException(message);
      case CLOSED: return new CkptClosedException(message);
      case IO: return new CkptIoException(message);
      case NO_SPACE: return new CkptNoSpaceException(message);
      case PERMISSION: return new CkptPermissionException(message);
      case CORRUPT: return new CkptCorruptException(message);
      case UNSUPPORTED: return new CkptUnsupportedException(message);
      case OVER_BUDGET: return new CkptOverBudgetException(message);
      case INVALID_SCHEDULE: return new CkptInvalidScheduleException(message);
      case INTERNAL: return new CkptInternalException(message);
      default: return new CkptException(status, message);
    }
  }
}
