// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/** The call is not allowed now: wrong order, already done, or not begun. */
public class CkptInvalidStateException extends CkptException {
  private static final long serialVersionUID = 1L;

  /**
   * An exception of this kind; callbacks may throw it, too.
   *
   * @param message one line of text
   */
  public CkptInvalidStateException(String message) {
    super(Status.INVALID_STATE, message);
  }
}
