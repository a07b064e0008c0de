package org.ckpt;

/** The time-out ran out first. */
public class TimeoutException extends CkptException {
  private static final long serialVersionUID = 1L;

  /**
   * An exception of this kind, for callbacks to throw too.
   *
   * @param message one line of text
   */
  public TimeoutException(String message) {
    super(Status.TIMEOUT, message);
  }
}
