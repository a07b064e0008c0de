package org.ckpt;

import java.io.ByteArrayOutputStream;
import java.lang.reflect.Array;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Writes and reads trees, and maps their nodes to Java types. */
final class Trees extends NativeObject {
  private final Deque<String> path = new ArrayDeque<>(); // of the value that is being added
  private final Map<Object, Tensor> arrays = new IdentityHashMap<>(); // added arrays
  private final Map<Map.Entry<String, Tensor.Form>, Tensor> tensors = new HashMap<>(); // tensors read
  private ByteBuffer lent = ByteBuffer.allocateDirect(256);
  private long next; // next node to read

  private Trees(Into<long[]> create) {
    super(number(create), Native::ckpt_tree_release);
  }

  static void set(State state, String group, Object value) {
    try (Trees tree = new Trees(Native::ckpt_tree_create)) {
      tree.add(value);
      Native.ckpt_state_set_tree(state, group, tree);
      tree.arrays.values().forEach(Tensor::close);
    }
  }

  static <T> T get(State state, String group, Class<T> type) {
    Objects.requireNonNull(type, "type");
    try (Trees tree = new Trees(out -> Native.ckpt_tree_create_from_state(state, group, out))) {
      return as(tree.read(), type);
    }
  }

  /** Reads a value. key: the only key of a dict to read; null: everything. */
  static <T> T get(Reader reader, String group, String key, Class<T> type) {
    Objects.requireNonNull(type, "type");
    try (Trees tree = new Trees(out -> Native.ckpt_tree_create_from_reader(reader, group, out))) {
      if (key != null) tree.next = number(out -> Native.ckpt_tree_find(tree, 0, key, out));
      return as(tree.read(), type);
    }
  }

  // ---- Writing ----

  private void add(Object value) {
    if (value == null) {
      Native.ckpt_tree_add_null(this);
    } else if (value instanceof Boolean truth) {
      Native.ckpt_tree_add_boolean(this, truth ? 1 : 0);
    } else if (value instanceof Byte || value instanceof Short || value instanceof Integer || value instanceof Long) {
      Native.ckpt_tree_add_integer(this, ((Number) value).longValue());
    } else if (value instanceof Float || value instanceof Double) {
      Native.ckpt_tree_add_number(this, ((Number) value).doubleValue());
    } else if (value instanceof Complex complex) {
      Native.ckpt_tree_add_complex(this, complex.real(), complex.imaginary());
    } else if (value instanceof BigInteger whole) {
      addText(TreeKind.BIG_INTEGER, (whole.signum() < 0 ? "-0x" : "0x") + whole.abs().toString(16));
    } else if (value instanceof String || value instanceof Character) {
      addText(TreeKind.TEXT, value.toString());
    } else if (value instanceof Path file) {
      addText(TreeKind.PATH, file.toString());
    } else if (value instanceof byte[] bytes) {
      addBytes(TreeKind.BYTES, bytes);
    } else if (value instanceof Tensor tensor) {
      Tensor.Form form = tensor.form;
      Native.ckpt_tree_add_tensor(this, form.number(), form.isBigEndian() ? 1 : 0, form.isComplex128() ? 1 : 0, tensor);
    } else if (value.getClass().isArray() && value.getClass().getComponentType().isPrimitive() && !(value instanceof char[])) {
      Native.ckpt_tree_add_tensor(this, TreeForm.ARRAY.number(), 0, 0, arrays.computeIfAbsent(value, Trees::tensorOf));
    } else {
      addContainer(value);
    }
  }

  private void addContainer(Object value) {
    if (value instanceof TreeRecord fields) {
      TreeKind kind = fields.isTuple() ? TreeKind.NAMED_TUPLE : TreeKind.DATACLASS;
      Native.ckpt_tree_add_container(this, kind.number(), fields.className(), fields.size());
      addItems(fields);
    } else if (value instanceof Attributed attributed) {
      addAttributed(attributed.value(), attributed.attributes());
    } else if (value instanceof TreeDict dict && !dict.attributes().isEmpty()) {
      addAttributed(dict, dict.attributes());
    } else if (value instanceof Map<?, ?> map) {
      addMap(map);
    } else if (value instanceof Collection<?> || value instanceof Object[]) {
      Collection<?> parts = value instanceof Object[] array ? Arrays.asList(array) : (Collection<?>) value;
      TreeKind kind = value instanceof TreeList list && list.isTuple() ? TreeKind.TUPLE : TreeKind.LIST;
      Native.ckpt_tree_add_container(this, kind.number(), null, parts.size());
      int index = 0;
      for (Object part : parts) addInside(Integer.toString(index++), part);
    } else {
      String where = path.isEmpty() ? "the tree" : String.join(".", path);
      throw new CkptUnsupportedException(where + ": a " + value.getClass().getName() + " cannot be stored in a tree");
    }
  }

  private void addAttributed(Object value, Map<String, Object> attributes) {
    Native.ckpt_tree_add_container(this, TreeKind.ATTRIBUTES.number(), null, 2);
    if (value instanceof TreeDict dict) {
      addMap(dict);
    } else {
      add(value);
    }
    Native.ckpt_tree_add_container(this, TreeKind.DICT.number(), null, attributes.size());
    addItems(attributes);
  }

  private void addMap(Map<?, ?> map) {
    TreeKind kind = map instanceof TreeDict dict && dict.isOrdered() ? TreeKind.ORDERED_DICT : TreeKind.DICT;
    Native.ckpt_tree_add_container(this, kind.number(), null, map.size());
    addItems(map);
  }

  private void addItems(Map<?, ?> map) {
    for (Map.Entry<?, ?> item : map.entrySet()) {
      add(item.getKey());
      addInside(String.valueOf(item.getKey()), item.getValue());
    }
  }

  private void addInside(String label, Object value) {
    path.addLast(label);
    add(value);
    path.removeLast();
  }

  private void addText(TreeKind kind, String text) {
    addBytes(kind, encoded(text));
  }

  private void addBytes(TreeKind kind, byte[] bytes) {
    if (lent.capacity() < bytes.length) lent = ByteBuffer.allocateDirect(bytes.length);
    lent.clear().put(bytes).flip();
    Native.ckpt_tree_add_bytes(this, kind.number(), lent.slice());
  }

  private static Tensor tensorOf(Object array) {
    if (array instanceof float[] floats) return Tensor.copyOf(floats, floats.length);
    if (array instanceof double[] doubles) return Tensor.copyOf(doubles, doubles.length);
    if (array instanceof int[] ints) return Tensor.copyOf(ints, ints.length);
    if (array instanceof long[] longs) return Tensor.copyOf(longs, longs.length);
    int length = Array.getLength(array);
    Tensor tensor = new Tensor(array instanceof short[] ? DType.I16 : DType.BOOL, length);
    ByteBuffer into = tensor.buffer().order(ByteOrder.nativeOrder());
    if (array instanceof short[] shorts) {
      into.asShortBuffer().put(shorts);
    } else {
      for (boolean truth : (boolean[]) array) into.put((byte) (truth ? 1 : 0));
    }
    return tensor;
  }

  // ---- Reading ----

  private Object read() {
    int[] kind = new int[1];
    long[] count = new long[1];
    long here = next++;
    Native.ckpt_tree_get_node(this, here, kind, count, new long[1]);
    switch (TreeKind.of(kind[0])) {
      case NULL:
        return null;
      case BOOLEAN:
        return number(out -> Native.ckpt_tree_get_integer(this, here, out)) != 0;
      case INTEGER:
        return number(out -> Native.ckpt_tree_get_integer(this, here, out));
      case BIG_INTEGER:
        return new BigInteger(textAt(here).replaceFirst("0x", ""), 16);
      case NUMBER:
        return numberAt(here).real();
      case COMPLEX:
        return numberAt(here);
      case TEXT, WINDOWS_PATH:
        return textAt(here);
      case PATH, POSIX_PATH:
        return pathOf(textAt(here));
      case BYTES, BYTEARRAY:
        return Native.ckpt_tree_get_bytes(this, here);
      case LIST, TUPLE:
        List<Object> parts = new TreeList(kind[0] == TreeKind.TUPLE.number());
        for (long i = 0; i < count[0]; ++i) parts.add(read());
        return parts;
      case DICT, ORDERED_DICT:
        Map<Object, Object> items = new TreeDict(kind[0] == TreeKind.ORDERED_DICT.number());
        for (long i = 0; i < count[0]; ++i) {
          Object key = read();
          items.put(key, read());
        }
        return items;
      case NAMED_TUPLE, DATACLASS:
        TreeRecord fields = new TreeRecord(textAt(here), kind[0] == TreeKind.NAMED_TUPLE.number());
        for (long i = 0; i < count[0]; ++i) {
          String name = (String) read();
          fields.put(name, read());
        }
        return fields;
      case TENSOR:
        return tensorAt(here);
      case ATTRIBUTES:
        return attributed(read(), (Map<?, ?>) read());
      default:
        throw new CkptUnsupportedException("the tree contains a node of the unknown kind " + kind[0]);
    }
  }

  private static Object attributed(Object value, Map<?, ?> attributes) {
    Map<String, Object> byName = value instanceof TreeDict dict ? dict.attributes() : new LinkedHashMap<>();
    attributes.forEach((name, attribute) -> byName.put((String) name, attribute));
    return value instanceof TreeDict ? value : new Attributed(value, byName);
  }

  private Complex numberAt(long index) {
    double[] imaginary = new double[1];
    double real = real(out -> Native.ckpt_tree_get_number(this, index, out, imaginary));
    return new Complex(real, imaginary[0]);
  }

  private Object tensorAt(long index) {
    int[] number = new int[1];
    int[] bigEndian = new int[1];
    int[] complex128 = new int[1];
    Native.ckpt_tree_get_form(this, index, number, bigEndian, complex128);
    Tensor.Form form = new Tensor.Form(number[0], bigEndian[0] != 0, complex128[0] != 0);
    Tensor tensor = tensors.computeIfAbsent(Map.entry(textAt(index), form),
        name -> Tensor.adopt(number(out -> Native.ckpt_tree_get_tensor(this, index, out))));
    tensor.form = form;
    return number[0] == TreeForm.SCALAR.number() ? scalarOf(tensor, complex128[0] != 0) : tensor;
  }

  private static Object scalarOf(Tensor tensor, boolean complex128) {
    if (tensor.elements() != (complex128 ? 2 : 1)) return tensor;
    ByteBuffer bytes = tensor.buffer();
    if (complex128) return new Complex(bytes.getDouble(0), bytes.getDouble(8));
    return switch (tensor.dtype()) {
      case BOOL -> bytes.get(0) != 0;
      case I8 -> (long) bytes.get(0);
      case U8 -> Byte.toUnsignedLong(bytes.get(0));
      case I16 -> (long) bytes.getShort(0);
      case U16 -> Short.toUnsignedLong(bytes.getShort(0));
      case I32 -> (long) bytes.getInt(0);
      case U32 -> Integer.toUnsignedLong(bytes.getInt(0));
      case I64 -> bytes.getLong(0);
      case U64 -> bytes.getLong(0) >= 0 ? (Object) bytes.getLong(0) : new BigInteger(Long.toUnsignedString(bytes.getLong(0)));
      case F32 -> (double) bytes.getFloat(0);
      case F64 -> bytes.getDouble(0);
      case C64 -> new Complex(bytes.getFloat(0), bytes.getFloat(4));
      default -> tensor;
    };
  }

  private String textAt(long index) {
    return decoded(Native.ckpt_tree_get_bytes(this, index));
  }

  private static Object pathOf(String text) {
    try {
      return Path.of(text);
    } catch (InvalidPathException none) {
      return text;
    }
  }

  // ---- Conversion to the requested type ----

  private static <T> T as(Object value, Class<T> type) {
    if (value instanceof Attributed attributed && !type.isInstance(value)) return as(attributed.value(), type);
    Object created = value;
    if (value instanceof Tensor tensor && type.isArray()) {
      created = tensor.toArray();
    } else if (value instanceof Long whole && Number.class.isAssignableFrom(type)) {
      created = ofWhole(whole, type);
    } else if (value instanceof Double real && type == Float.class) {
      created = real.floatValue();
    }
    if (created == null || type.isInstance(created)) return type.cast(created);
    throw new CkptInvalidArgumentException(
        "value: expected a " + type.getSimpleName() + ", found a " + value.getClass().getSimpleName());
  }

  private static Object ofWhole(long whole, Class<?> type) {
    if (type == Integer.class && whole == (int) whole) return (int) whole;
    if (type == Short.class && whole == (short) whole) return (short) whole;
    if (type == Byte.class && whole == (byte) whole) return (byte) whole;
    if (type == Double.class && whole == (long) (double) whole) return (double) whole;
    if (type == BigInteger.class) return BigInteger.valueOf(whole);
    return whole;
  }

  // ---- UTF-8, extended by lone surrogates as three bytes each ----

  private static byte[] encoded(String text) {
    ByteArrayOutputStream out = new ByteArrayOutputStream(text.length() + 8);
    for (int i = 0; i < text.length();) {
      int point = text.codePointAt(i);
      i += Character.charCount(point);
      if (point < 0x80) {
        out.write(point);
        continue;
      }
      int more = point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
      out.write((0xFF00 >> more + 1 & 0xFF) | point >> 6 * more);
      while (more-- > 0) out.write(0x80 | (point >> 6 * more & 0x3F));
    }
    return out.toByteArray();
  }

  private static String decoded(byte[] bytes) {
    StringBuilder text = new StringBuilder(bytes.length);
    for (int i = 0; i < bytes.length;) {
      int lead = bytes[i++] & 0xFF;
      int more = lead < 0x80 ? 0 : lead < 0xE0 ? 1 : lead < 0xF0 ? 2 : 3;
      int point = more == 0 ? lead : lead & 0x3F >> more;
      while (more-- > 0) point = point << 6 | (bytes[i++] & 0x3F);
      text.appendCodePoint(point);
    }
    return text.toString();
  }
}
