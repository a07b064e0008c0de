package org.ckpt;

/** The system gave no memory. */
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
