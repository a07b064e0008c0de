// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/** Valid, but not supported by this object or build. */
public class CkptUnsupportedException extends CkptException {
  private static final long serialVersionUID = 1L;

  /**
   * An exception of this kind; callbacks may throw it, too.
   *
   * @param message one line of text
   */
  public CkptUnsupportedException(String message) {
    super(Status.UNSUPPORTED, message);
  }
}
