// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/** Another process, thread or object holds the resource. */
public class CkptBusyException extends CkptException {
  private static final long serialVersionUID = 1L;

  /**
   * An exception of this kind; callbacks may throw it, too.
   *
   * @param message one line of text
   */
  public CkptBusyException(String message) {
    super(Status.BUSY, message);
  }
}
