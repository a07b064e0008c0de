// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/** Does not fit the memory budget or limit. */
public class CkptOverBudgetException extends CkptException {
  private static final long serialVersionUID = 1L;

  /**
   * An exception of this kind; callbacks may throw it, too.
   *
   * @param message one line of text
   */
  public CkptOverBudgetException(String message) {
    super(Status.OVER_BUDGET, message);
  }
}
