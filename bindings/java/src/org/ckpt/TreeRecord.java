package org.ckpt;

import java.util.AbstractMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** A dataclass or named tuple that another language has written: its fields by name, in order. No class is loaded. */
public final class TreeRecord extends AbstractMap<String, Object> {
  private final Map<String, Object> fields = new LinkedHashMap<>();
  private final String className;
  private final boolean isTuple;

  /**
   * Creates a record without fields.
   *
   * @param className name of the class in the other language
   * @param isTuple a named tuple; false: a dataclass
   */
  public TreeRecord(String className, boolean isTuple) {
    this.className = className;
    this.isTuple = isTuple;
  }

  /** {@return the name of its class, prefixed with the module's name, as written} */
  public String className() {
    return className;
  }

  /** {@return whether it is a named tuple; false: a dataclass} */
  public boolean isTuple() {
    return isTuple;
  }

  @Override
  public Object put(String name, Object value) {
    return fields.put(name, value);
  }

  @Override
  public Set<Map.Entry<String, Object>> entrySet() {
    return fields.entrySet();
  }
}
