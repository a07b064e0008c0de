// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/** A defect of the library: please report it. */
public class CkptInternalException extends CkptException {
  private static final long serialVersionUID = 1L;

  /**
   * An exception of this kind; callbacks may throw it, too.
   *
   * @param message one line of text
   */
  public CkptInternalException(String message) {
    super(Status.INTERNAL, message);
  }
}
