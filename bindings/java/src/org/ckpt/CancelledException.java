package org.ckpt;

/** Stopped on request. */
public class CancelledException extends CkptException {
  private static final long serialVersionUID = 1L;

  /**
   * An exception of this kind, for callbacks to throw too.
   *
   * @param message one line of text
   */
  public CancelledException(String message) {
    super(Status.CANCELLED, message);
  }
}
