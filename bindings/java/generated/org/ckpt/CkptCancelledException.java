// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/** Stopped on request. */
public class CkptCancelledException extends CkptException {
  private static final long serialVersionUID = 1L;

  /**
   * An exception of this kind; callbacks may throw it, too.
   *
   * @param message one line of text
   */
  public CkptCancelledException(String message) {
    super(Status.CANCELLED, message);
  }
}
