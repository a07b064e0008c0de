package org.ckpt;

/** The operating system denied access. */
public class PermissionException extends CkptException {
  private static final long serialVersionUID = 1L;

  /**
   * An exception of this kind, for callbacks to throw too.
   *
   * @param message one line of text
   */
  public PermissionException(String message) {
    super(Status.PERMISSION, message);
  }
}
