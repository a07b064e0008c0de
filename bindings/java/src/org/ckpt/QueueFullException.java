package org.ckpt;

/** A bounded queue has no place. */
public class QueueFullException extends CkptException {
  private static final long serialVersionUID = 1L;

  /**
   * An exception of this kind, for callbacks to throw too.
   *
   * @param message one line of text
   */
  public QueueFullException(String message) {
    super(Status.QUEUE_FULL, message);
  }
}
