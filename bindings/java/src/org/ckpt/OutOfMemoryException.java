package org.ckpt;

/** The system has no memory left. */
public class OutOfMemoryException extends CkptException {
  private static final long serialVersionUID = 1L;

  /**
   * An exception of this kind, for callbacks to throw too.
   *
   * @param message one line of text
   */
  public OutOfMemoryException(String message) {
    super(Status.OUT_OF_MEMORY, message);
  }
}
