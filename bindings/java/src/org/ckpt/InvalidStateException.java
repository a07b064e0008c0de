package org.ckpt;

/** The call is not allowed now: wrong order, already done, closed. */
public class InvalidStateException extends CkptException {
  private static final long serialVersionUID = 1L;

  /**
   * An exception of this kind, for callbacks to throw too.
   *
   * @param message one line of text
   */
  public InvalidStateException(String message) {
    super(Status.INVALID_STATE, message);
  }
}
