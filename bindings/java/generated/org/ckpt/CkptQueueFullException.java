// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/** A bounded queue is full. */
public class CkptQueueFullException extends CkptException {
  private static final long serialVersionUID = 1L;

  /**
   * An exception of this kind; callbacks may throw it, too.
   *
   * @param message one line of text
   */
  public CkptQueueFullException(String message) {
    super(Status.QUEUE_FULL, message);
  }
}
