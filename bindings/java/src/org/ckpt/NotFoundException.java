package org.ckpt;

/** No such name, id, file or checkpoint. */
public class NotFoundException extends CkptException {
  private static final long serialVersionUID = 1L;

  /**
   * An exception of this kind, for callbacks to throw too.
   *
   * @param message one line of text
   */
  public NotFoundException(String message) {
    super(Status.NOT_FOUND, message);
  }
}
