package org.ckpt;

/** The queue or object was closed. */
public class ClosedException extends CkptException {
  private static final long serialVersionUID = 1L;

  /**
   * An exception of this kind, for callbacks to throw too.
   *
   * @param message one line of text
   */
  public ClosedException(String message) {
    super(Status.CLOSED, message);
  }
}
