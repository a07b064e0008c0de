// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/** The system has no memory left. */
public class CkptOutOfMemoryException extends CkptException {
  private static final long serialVersionUID = 1L;

  /**
   * An exception of this kind; callbacks may throw it, too.
   *
   * @param message one line of text
   */
  public CkptOutOfMemoryException(String message) {
    super(Status.OUT_OF_MEMORY, message);
  }
}
