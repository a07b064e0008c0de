// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/** The name, id, file or checkpoint does not exist. */
public class CkptNotFoundException extends CkptException {
  private static final long serialVersionUID = 1L;

  /**
   * An exception of this kind; callbacks may throw it, too.
   *
   * @param message one line of text
   */
  public CkptNotFoundException(String message) {
    super(Status.NOT_FOUND, message);
  }
}
