// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/** A callback of the caller failed. */
public class CkptCallbackException extends CkptException {
  private static final long serialVersionUID = 1L;

  /**
   * An exception of this kind; callbacks may throw it, too.
   *
   * @param message one line of text
   */
  public CkptCallbackException(String message) {
    super(Status.CALLBACK, message);
  }
}
