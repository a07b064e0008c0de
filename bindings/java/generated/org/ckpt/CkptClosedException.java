// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/** The queue or object was closed. */
public class CkptClosedException extends CkptException {
  private static final long serialVersionUID = 1L;

  /**
   * An exception of this kind; callbacks may throw it, too.
   *
   * @param message one line of text
   */
  public CkptClosedException(String message) {
    super(Status.CLOSED, message);
  }
}
