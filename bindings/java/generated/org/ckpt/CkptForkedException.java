// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/** The process was forked, and the object's threads exist only in the parent. */
public class CkptForkedException extends CkptException {
  private static final long serialVersionUID = 1L;

  /**
   * An exception of this kind; callbacks may throw it, too.
   *
   * @param message one line of text
   */
  public CkptForkedException(String message) {
    super(Status.FORKED, message);
  }
}
