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
}
