package org.ckpt;

/** An index or size lies outside what the object has or can hold. */
public class OutOfRangeException extends CkptException {
  private static final long serialVersionUID = 1L;

  /**
   * An exception of this kind, for callbacks to throw too.
   *
   * @param message one line of text
   */
  public OutOfRangeException(String message) {
    super(Status.OUT_OF_RANGE, message);
  }
}
