package org.ckpt;

/** A schedule breaks a rule. */
public class InvalidScheduleException extends CkptException {
  private static final long serialVersionUID = 1L;

  /**
   * An exception of this kind, for callbacks to throw too.
   *
   * @param message one line of text
   */
  public InvalidScheduleException(String message) {
    super(Status.INVALID_SCHEDULE, message);
  }
}
