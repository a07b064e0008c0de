// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/** The operating system denied access. */
public class CkptPermissionException extends CkptException {
  private static final long serialVersionUID = 1L;

  /**
   * An exception of this kind; callbacks may throw it, too.
   *
   * @param message one line of text
   */
  public CkptPermissionException(String message) {
    super(Status.PERMISSION, message);
  }
}
