// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/** An index or size is outside the range of the object. */
public class CkptOutOfRangeException extends CkptException {
  private static final long serialVersionUID = 1L;

  /**
   * An exception of this kind; callbacks may throw it, too.
   *
   * @param message one line of text
   */
  public CkptOutOfRangeException(String message) {
    super(Status.OUT_OF_RANGE, message);
  }
}
