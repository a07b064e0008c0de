package org.ckpt;

/** Somebody else holds it. */
public class BusyException extends CkptException {
  private static final long serialVersionUID = 1L;

  /**
   * An exception of this kind, for callbacks to throw too.
   *
   * @param message one line of text
   */
  public BusyException(String message) {
    super(Status.BUSY, message);
  }
}
