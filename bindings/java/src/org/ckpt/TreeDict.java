package org.ckpt;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A dict inside a value of any shape ({@link State#set}), as it was read: its items in order, whether it is an ordered dict in
 * another language, and its attributes. Written again, it is unchanged. Equal to every map with the same items.
 */
public final class TreeDict extends LinkedHashMap<Object, Object> {
  private static final long serialVersionUID = 1;

  /** By name. */
  private final LinkedHashMap<String, Object> attributes = new LinkedHashMap<>();

  /** Whether it is an ordered dict. */
  private final boolean isOrdered;

  /**
   * Creates a dict without items.
   *
   * @param isOrdered an ordered dict (Python's OrderedDict); false: a dict
   */
  public TreeDict(boolean isOrdered) {
    this.isOrdered = isOrdered;
  }

  /** {@return whether the order is part of the value in the language that wrote it} */
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
