// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/** A schedule breaks one of its rules. */
public class CkptInvalidScheduleException extends CkptException {
  private static final long serialVersionUID = 1L;

  /**
   * An exception of this kind; callbacks may throw it, too.
   *
   * @param message one line of text
   */
  public CkptInvalidScheduleException(String message) {
    super(Status.INVALID_SCHEDULE, message);
  }
}
