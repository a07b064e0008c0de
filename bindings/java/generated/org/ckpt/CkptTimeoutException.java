// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/** The time-out expired. */
public class CkptTimeoutException extends CkptException {
  private static final long serialVersionUID = 1L;

  /**
   * An exception of this kind; callbacks may throw it, too.
   *
   * @param message one line of text
   */
  public CkptTimeoutException(String message) {
    super(Status.TIMEOUT, message);
  }
}
