package org.ckpt;

/** An argument has a value that is never valid. */
public class InvalidArgumentException extends CkptException {
  private static final long serialVersionUID = 1L;

  /**
   * An exception of this kind, for callbacks to throw too.
   *
   * @param message one line of text
   */
  public InvalidArgumentException(String message) {
    super(Status.INVALID_ARGUMENT, message);
  }
}
