// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/** An argument is missing, of the wrong kind, or has a value that is never valid. */
public class CkptInvalidArgumentException extends CkptException {
  private static final long serialVersionUID = 1L;

  /**
   * An exception of this kind; callbacks may throw it, too.
   *
   * @param message one line of text
   */
  public CkptInvalidArgumentException(String message) {
    super(Status.INVALID_ARGUMENT, message);
  }
}
