package org.ckpt;

/** A defect of the library: please report it. */
public class InternalException extends CkptException {
  private static final long serialVersionUID = 1L;

  /**
   * An exception of this kind, for callbacks to throw too.
   *
   * @param message one line of text
   */
  public InternalException(String message) {
    super(Status.INTERNAL, message);
  }
}
