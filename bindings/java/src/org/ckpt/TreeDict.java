package org.ckpt;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A dict of a value of any shape ({@link State#set}) as it was read: its items in their order, whether another language has it as a
 * dict whose order is a part of its value, and its attributes. Written again, it is what it was. Equal to every map of the same items.
 */
public final class TreeDict extends LinkedHashMap<Object, Object> {
  private static final long serialVersionUID = 1;

  /** By name. */
  private final LinkedHashMap<String, Object> attributes = new LinkedHashMap<>();

  /** An ordered dict. */
  private final boolean isOrdered;

  /**
   * A dict without items.
   *
   * @param isOrdered an ordered dict (Python's OrderedDict); false: a dict
   */
  public TreeDict(boolean isOrdered) {
    this.isOrdered = isOrdered;
  }

  /** {@return whether the order is a part of the value in the language that wrote it} */
  public boolean isOrdered() {
    return isOrdered;
  }

  /**
   * {@return the attributes of the dict by name, which may be changed; empty for most dicts; "_metadata" of a state_dict of
   * PyTorch}
   */
  public Map<String, Object> attributes() {
    return attributes;
  }
}
