package org.ckpt;

/** A callback failed; the message has its text, and the cause is what it threw when that was on the calling thread. */
public class CallbackException extends CkptException {
  private static final long serialVersionUID = 1L;

  /**
   * An exception of this kind, for callbacks to throw too.
   *
   * @param message one line of text
   */
  public CallbackException(String message) {
    super(Status.CALLBACK, message);
  }
}
