import java.math.BigInteger;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongUnaryOperator;
import org.ckpt.*;

/** The checkpoint that every language writes and every language reads. */
final class Matrix {
  private record Row(String group, String name, DType dtype, long seed, long... shape) {}

  private static final String GROUP = "mod\u00E8le";
  private static final long STEP = 7;
  private static final long SEED = -1; // 18446744073709551615
  private static final List<Row> ROWS = new ArrayList<>();
  private static final Map<String, String> VALUES = new LinkedHashMap<>();

  static {
    for (DType dtype : DType.values()) {
      if (dtype != DType.UNKNOWN) ROWS.add(new Row("dtypes", dtype.safetensorsName(), dtype, dtype.number(), 3, 8));
    }
    ROWS.add(new Row(GROUP, "gewicht/\u00DF \u2603 \u6F22\u5B57 \uD83D\uDE42", DType.F32, 30, 2, 3, 4));
    ROWS.add(new Row(GROUP, "empty", DType.F64, 31, 0, 5));
    ROWS.add(new Row(GROUP, "scalar", DType.I64, 32));
    ROWS.add(new Row(GROUP, "long", DType.U8, 33, 100003));
    VALUES.put("step", "42");
    VALUES.put("data_position", "{\"byte\":4096}");
    VALUES.put("gr\u00F6\u00DFe \u2603",
        "{\"list\":[1,-2,9007199254740993,true,null],\"text\":\"\u6F22\u5B57 \uD83D\uDE42 \\\"quoted\\\" \\\\ line\\nend\"}");
  }

  private Matrix() {}

  private static List<Tensor> tensors(LongUnaryOperator seed) {
    return ROWS.stream().map(row -> Objects.tensor(row.dtype(), row.shape(), seed.applyAsLong(row.seed()))).toList();
  }

  private static State state(List<Tensor> tensors) {
    State state = new State();
    for (int i = 0; i < ROWS.size(); ++i) state.add(ROWS.get(i).group(), ROWS.get(i).name(), tensors.get(i));
    return state;
  }

  static int write(Path folder) {
    try (State state = state(tensors(seed -> seed)); CheckpointManager checkpoint = CheckpointManager.open(folder)) {
      VALUES.forEach(state::setJson);
      checkpoint.save(state, new SaveOptions().step(STEP).seed(SEED).prefix("matrix"));
    }
    System.out.println("wrote " + ROWS.size() + " tensors and " + VALUES.size() + " values");
    return 0;
  }

  static int read(Path folder) {
    List<Tensor> tensors = tensors(seed -> 99);
    List<Tensor> written = tensors(seed -> seed);
    List<String> unequal = new ArrayList<>();
    try (State state = state(tensors); State expected = new State();
        CheckpointManager checkpoint = CheckpointManager.open(folder, new CheckpointManagerOptions().readOnly(true))) {
      VALUES.forEach(expected::setJson);
      LoadResult loaded = checkpoint.load(state);
      if (loaded.step() != STEP || loaded.seed() != SEED) unequal.add("checkpoint " + loaded.name());
      for (int i = 0; i < ROWS.size(); ++i) {
        if (!tensors.get(i).isBitEqual(written.get(i))) unequal.add("tensor " + ROWS.get(i).name());
      }
      for (String key : VALUES.keySet()) {
        if (!state.json(key).equals(expected.json(key))) unequal.add("value " + key);
      }
    }
    if (!unequal.isEmpty()) {
      System.err.println("not as written: " + unequal);
      return 1;
    }
    System.out.println("read " + ROWS.size() + " tensors and " + VALUES.size() + " values, all equal");
    return 0;
  }

  // ---- Values of any shape ----

  private static Map<Object, Object> tree() {
    Map<Object, Object> keys = new LinkedHashMap<>();
    keys.put(7L, "seven");
    keys.put("a.b/c", 1L);
    keys.put(true, 2L);
    keys.put(null, 3L);
    Map<Object, Object> tree = new LinkedHashMap<>();
    tree.put("nothing", null);
    tree.put("truths", List.of(true, false));
    tree.put("integers", List.of(0L, -7L, Long.MAX_VALUE, Long.MIN_VALUE));
    tree.put("big", BigInteger.ONE.shiftLeft(64).subtract(BigInteger.ONE));
    tree.put("numbers", List.of(0.1, -0.0, 1e300, Double.MIN_VALUE, 3.0, Double.POSITIVE_INFINITY));
    tree.put("text", "gr\u00F6\u00DFe \u2603 \u6F22\u5B57 \uD83D\uDE42 \"quoted\" \\ line\nend\0.");
    tree.put("surrogate", "a\uD800");
    tree.put("bytes", new byte[] {0, -1, 127});
    tree.put("empty", List.of(List.of(), Map.of(), "", new byte[0]));
    tree.put("keys", keys);
    tree.put("deep", List.of(List.of(Map.of("x", List.of(1L)))));
    tree.put("doubles", new double[] {1.5, -2.5});
    tree.put("floats", new float[] {0.5F});
    tree.put("ints", new int[] {1, -2, 3});
    tree.put("longs", new long[] {-9007199254740993L});
    tree.put("none", new double[0]);
    TreeDict module = new TreeDict(true);
    module.put("w", 1.5);
    module.put("n", 2L);
    module.attributes().put("_metadata", Map.of("", Map.of("version", 1L)));
    tree.put("module", module);
    tree.put("seconds", new Attributed(0.25, Map.of("unit", "s")));
    return tree;
  }

  /** Compares by what the languages have in common: arrays are read as tensors. */
  private static boolean same(Object left, Object right) {
    if (right instanceof Tensor tensor) return java.util.Objects.deepEquals(left, tensor.toArray()) && tensor.ndim() == 1;
    if (left instanceof TreeDict dict && right instanceof TreeDict other) {
      if (dict.isOrdered() != other.isOrdered() || !same(dict.attributes(), other.attributes())) return false;
    }
    if (left instanceof Attributed one) {
      return right instanceof Attributed other && same(one.value(), other.value()) && same(one.attributes(), other.attributes());
    }
    if (left instanceof Map<?, ?> map) {
      return right instanceof Map<?, ?> other && map.keySet().equals(other.keySet())
          && map.keySet().stream().allMatch(key -> same(map.get(key), other.get(key)));
    }
    if (left instanceof List<?> list) {
      if (!(right instanceof List<?> other) || list.size() != other.size()) return false;
      for (int i = 0; i < list.size(); ++i) {
        if (!same(list.get(i), other.get(i))) return false;
      }
      return true;
    }
    return java.util.Objects.deepEquals(left, right);
  }

  static int writeTrees(Path folder) {
    try (Tensor tensor = Objects.tensor(DType.BF16, new long[] {2, 3}, 5); State state = new State();
        CheckpointManager checkpoint = CheckpointManager.open(folder)) {
      checkpoint.save(state.set("values", tree()).set("tensors", List.of(tensor, tensor)), new SaveOptions().step(1));
    }
    System.out.println("wrote " + tree().size() + " values");
    return 0;
  }

  static int readTrees(Path folder) {
    List<String> unequal = new ArrayList<>();
    Map<Object, Object> expected = tree();
    try (CheckpointManager checkpoint = CheckpointManager.open(folder, new CheckpointManagerOptions().readOnly(true));
        Reader reader = checkpoint.reader(null, Verify.LAZY); Tensor tensor = Objects.tensor(DType.BF16, new long[] {2, 3}, 5)) {
      Map<?, ?> values = reader.get("values", Map.class);
      expected.forEach((key, value) -> {
        if (!values.containsKey(key) || !same(value, values.get(key))) unequal.add(key.toString());
      });
      List<?> tensors = reader.get("tensors", List.class);
      if (tensors.size() != 2 || tensors.get(0) != tensors.get(1) || !((Tensor) tensors.get(0)).isBitEqual(tensor)) unequal.add("tensors");
    }
    if (!unequal.isEmpty()) {
      System.err.println("not as written: " + unequal);
      return 1;
    }
    System.out.println("read " + expected.size() + " values, all equal");
    return 0;
  }
}
