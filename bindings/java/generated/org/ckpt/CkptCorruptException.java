// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/** Stored bytes differ from the written ones or violate the format. */
public class CkptCorruptException extends CkptException {
  private static final long serialVersionUID = 1L;

  /**
   * An exception of this kind; callbacks may throw it, too.
   *
   * @param message one line of text
   */
  public CkptCorruptException(String message) {
    super(Status.CORRUPT, message);
  }
}
