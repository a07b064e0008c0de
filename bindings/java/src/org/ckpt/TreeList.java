package org.ckpt;

import java.util.ArrayList;

/**
 * A list of a value of any shape ({@link State#set}) as it was read, and whether another language has it as a tuple. Written again, it
 * is what it was. Equal to every list of the same parts.
 */
public final class TreeList extends ArrayList<Object> {
  private static final long serialVersionUID = 1;

  /** A tuple. */
  private final boolean isTuple;

  /**
   * A list without parts.
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
