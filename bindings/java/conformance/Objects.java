import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.ckpt.*;

/** The objects of one scenario by type and name, and how values are printed. */
abstract class Objects implements AutoCloseable {
  /** In the order in which names are searched; closed in reverse order. */
  static final List<String> TYPES =
      List.of(
          "clock", "kind", "strategy", "tracker", "allocation", "scope", "listener", "profile", "schedule", "cursor", "place",
          "activations", "pipeline", "tensor", "state", "checkpoint", "threshold", "controller", "id", "task", "background");

  private final Map<String, Map<String, Object>> objects = new LinkedHashMap<>();

  /** Lines that callbacks add, on any thread. */
  static final class EventLog {
    private List<String> lines = new ArrayList<>();

    synchronized void add(Object... words) {
      lines.add(joined(words));
    }

    synchronized List<String> take() {
      List<String> taken = lines;
      lines = new ArrayList<>();
      return taken;
    }
  }

  record Found(String type, Object object) {}

  <T> T of(Class<T> kind, String type, String name) {
    Object found = objects.computeIfAbsent(type, key -> new LinkedHashMap<>()).get(name);
    if (found == null) throw new Misuse("no " + type + " is called " + name);
    return kind.cast(found);
  }

  void make(String type, String name, Object created) {
    Object before = objects.computeIfAbsent(type, key -> new LinkedHashMap<>()).put(name, created);
    if (!type.equals("scope")) close(before); // a scope that is not the innermost cannot be popped
  }

  Found find(String name, List<String> types) {
    for (String type : types) {
      Object found = objects.getOrDefault(type, Map.of()).get(name);
      if (found != null) return new Found(type, found);
    }
    throw new Misuse("unknown name " + name);
  }

  void forget(Found found, String name) {
    close(found.object());
    objects.get(found.type()).remove(name);
  }

  private static void close(Object object) {
    if (!(object instanceof AutoCloseable closing)) return;
    try {
      closing.close();
    } catch (CkptException error) {
      throw error;
    } catch (Exception error) {
      throw new IllegalStateException(error);
    }
  }

  @Override
  public void close() {
    List<String> types = new ArrayList<>(TYPES);
    Collections.reverse(types);
    for (String type : types) {
      for (Object object : objects.getOrDefault(type, Map.of()).values()) {
        try {
          if (!type.equals("listener")) close(object); // ends with its tracker
        } catch (CkptException unasked) {
          // A failed save that the scenario did not retrieve, or a scope inside another one.
        }
      }
    }
  }

  // ---- Words ----

  static String joined(Object... words) {
    StringBuilder text = new StringBuilder();
    for (Object word : words) text.append(text.isEmpty() ? "" : " ").append(word);
    return text.toString();
  }

  static List<String> line(Object... words) {
    return List.of(joined(words));
  }

  static String yesNo(boolean yes) {
    return yes ? "yes" : "no";
  }

  static int indexOf(List<String> words, String word) {
    int index = words.indexOf(word);
    if (index < 0) throw new Misuse("unknown word " + word);
    return index;
  }

  static String exact(double value) {
    boolean whole = value == Math.rint(value) && Math.abs(value) < 0x1p53 && Double.doubleToRawLongBits(value) != Long.MIN_VALUE;
    return whole ? String.valueOf((long) value) : String.format("0x%016x", Double.doubleToRawLongBits(value));
  }

  static String thousandths(double value) {
    return String.valueOf((long) Math.floor(value * 1000 + 0.5));
  }

  static long[] shapeOf(String text) {
    return text.isEmpty() ? new long[0] : List.of(text.split("x")).stream().mapToLong(Long::parseLong).toArray();
  }

  static String printed(long[] shape) {
    StringBuilder text = new StringBuilder();
    for (long length : shape) text.append(text.isEmpty() ? "" : "x").append(length);
    return text.isEmpty() ? "-" : text.toString();
  }

  static Tensor tensor(DType dtype, long[] shape, long seed) {
    Tensor tensor = new Tensor(dtype, shape);
    var bytes = tensor.buffer();
    for (int i = 0; i < bytes.capacity(); ++i) {
      long value = (17 * seed + 31L * i + 5) % 256;
      bytes.put(i, (byte) (dtype == DType.BOOL ? value % 2 : value));
    }
    return tensor;
  }
}
