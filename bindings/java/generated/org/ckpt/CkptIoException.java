// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/** The operating system failed to read, write or sync. */
public class CkptIoException extends CkptException {
  private static final long serialVersionUID = 1L;

  /**
   * An exception of this kind; callbacks may throw it, too.
   *
   * @param message one line of text
   */
  public CkptIoException(String message) {
    super(Status.IO, message);
  }
}
