package org.ckpt;

import java.util.ArrayList;

/**
 * A list inside a value of any shape ({@link State#set}), as it was read, and whether it is a tuple in another language. Written
 * again, it is unchanged. Equal to every list with the same parts.
 */
public final class TreeList extends ArrayList<Object> {
  private static final long serialVersionUID = 1;

  /** Whether it is a tuple. */
  private final boolean isTuple;

  /**
   * Creates a list without parts.
   *
   * @param isTuple a tuple; false: a list
   */
  public TreeList(boolean isTuple) {
    this.isTuple = isTuple;
  }

  /** {@return whether it is a tuple in the language that wrote it; false: a list} */
  public boolean isTuple() {
    return isTuple;
  }
}
