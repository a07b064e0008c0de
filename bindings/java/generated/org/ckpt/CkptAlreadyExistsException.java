// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/** The name is taken. */
public class CkptAlreadyExistsException extends CkptException {
  private static final long serialVersionUID = 1L;

  /**
   * An exception of this kind; callbacks may throw it, too.
   *
   * @param message one line of text
   */
  public CkptAlreadyExistsException(String message) {
    super(Status.ALREADY_EXISTS, message);
  }
}
