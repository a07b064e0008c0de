package org.ckpt;

import java.util.AbstractMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** A dataclass or named tuple that another language has written: its fields by name, in their order. No class is looked for. */
public final class TreeRecord extends AbstractMap<String, Object> {
  private final Map<String, Object> fields = new LinkedHashMap<>();
  private final String className;
  private final boolean isTuple;

  /**
   * A record without fields.
   *
   * @param className of the other language
   * @param isTuple a named tuple; false: a dataclass
   */
  public TreeRecord(String className, boolean isTuple) {
    this.className = className;
    this.isTuple = isTuple;
  }

  /** {@return the name of its class, with the module's name before it, as the writer has it} */
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
