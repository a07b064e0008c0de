// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/** The device or quota is full. */
public class CkptNoSpaceException extends CkptException {
  private static final long serialVersionUID = 1L;

  /**
   * An exception of this kind; callbacks may throw it, too.
   *
   * @param message one line of text
   */
  public CkptNoSpaceException(String message) {
    super(Status.NO_SPACE, message);
  }
}
