import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.ckpt.*;

/** Every function of the C API is used by the public classes, or there is a reason; numbers of enums are those of the headers. */
final class TestCoverage {
  private static final Path SOURCES = Path.of(System.getenv("CKPT_JAVA_SOURCES"));

  private static final Map<String, String> REASONS =
      Map.ofEntries(
          Map.entry("ckpt_get_api", "a table of C functions for programs that load the library themselves"),
          Map.entry("ckpt_callback_error", "callbacks throw exceptions: the native code passes their text on"),
          Map.entry("ckpt_status_name", "the names of the enum Status are the same"),
          Map.entry("ckpt_strategy_get_info", "languages get it with the next issue"),
          Map.entry("ckpt_strategy_get_pattern", "languages get it with the next issue"),
          Map.entry("ckpt_strategy_get_child", "languages get it with the next issue"),
          Map.entry("ckpt_strategy_get_text", "languages get it with the next issue"),
          Map.entry("ckpt_threshold_observe_failure", "languages get it with the next issue"));

  private static String source() throws Exception {
    try (Stream<Path> files = Files.list(SOURCES)) {
      StringBuilder all = new StringBuilder();
      for (Path file : files.toList()) all.append(Files.readString(file));
      return all.toString();
    }
  }

  static void testEveryFunctionIsReachable() throws Exception {
    String source = source();
    List<String> missing = new ArrayList<>();
    int functions = 0;
    String table = Files.readString(Path.of(System.getenv("CKPT_API_TABLE")));
    for (MatchResult match : Pattern.compile("\\n  [^\\n]*\\(\\*(ckpt_\\w+)\\)").matcher(table).results().toList()) {
      String name = match.group(1);
      ++functions;
      if (name.endsWith("_init")) continue; // structs are made with their defaults: the generated classes call it
      boolean used = Pattern.compile("\\b" + name + "\\b").matcher(source).find();
      if (used == REASONS.containsKey(name)) missing.add(name);
    }
    Check.equal(List.of(), missing);
    Check.that(functions > 350, "only " + functions + " functions");
  }

  static void testOnlyWhatIsWrittenByHandIsPublic() throws Exception {
    Set<String> written;
    try (Stream<Path> files = Files.list(SOURCES)) {
      written = files.map(file -> file.getFileName().toString().replace(".java",
          "")).collect(Collectors.toCollection(TreeSet::new));
    }
    try (java.util.jar.JarFile jar = new java.util.jar.JarFile(System.getenv("CKPT_JAR"))) {
      int generated = 0;
      for (java.util.jar.JarEntry entry : (Iterable<java.util.jar.JarEntry>) jar.stream()::iterator) {
        String name = entry.getName();
        if (!name.startsWith("org/ckpt/") || !name.endsWith(".class") || name.contains("$")) continue;
        String simple = name.substring("org/ckpt/".length(), name.length() - ".class".length());
        if (written.contains(simple)) continue;
        ++generated;
        Class<?> type = Class.forName("org.ckpt." + simple, false, TestCoverage.class.getClassLoader());
        Check.that(!java.lang.reflect.Modifier.isPublic(type.getModifiers()), simple + " is generated and public");
        Check.that(!simple.startsWith("SWIGTYPE"), simple + ": java.i does not say how this type crosses");
      }
      Check.that(generated > 40, "generated classes");
    }
  }

  /** Nothing may wait for a finalizer. */
  static void testNoFinalizers() throws Exception {
    Check.that(!source().contains(" finalize("), "a finalizer is written");
    try (java.util.jar.JarFile jar = new java.util.jar.JarFile(System.getenv("CKPT_JAR"))) {
      for (String name : jar.stream().map(java.util.jar.JarEntry::getName).filter(n -> n.endsWith(".class")).toList()) {
        Class<?> type = Class.forName(name.replace('/', '.').replace(".class", ""), false, TestCoverage.class.getClassLoader());
        for (var method : type.getDeclaredMethods()) Check.that(!method.getName().equals("finalize"), name);
      }
    }
  }

  private static void numbers(String prefix, Map<String, Integer> expected) throws Exception {
    StringBuilder headers = new StringBuilder();
    try (Stream<Path> files = Files.list(Path.of(System.getenv("CKPT_INCLUDE")))) {
      for (Path file : files.toList()) headers.append(Files.readString(file).replace("\\\n", " "));
    }
    for (Map.Entry<String, Integer> one : expected.entrySet()) {
      Matcher define = Pattern.compile("#define " + prefix + one.getKey() + "\\s+\\(?(-?\\d+)U?\\)?\\s").matcher(headers);
      Check.that(define.find(), prefix + one.getKey() + " is not in the headers");
      Check.equal(Integer.parseInt(define.group(1)), one.getValue());
    }
  }

  private static <E extends Enum<E>> Map<String, Integer> of(E[] values, java.util.function.ToIntFunction<E> number) {
    return Stream.of(values).collect(Collectors.toMap(Enum::name, number::applyAsInt));
  }

  static void testNumbersAreThoseOfTheHeaders() throws Exception {
    Map<String, Integer> statuses = of(Status.values(), Status::number);
    statuses.keySet().removeAll(Set.of("OK", "UNKNOWN"));
    numbers("CKPT_E_", statuses);
    numbers("CKPT_DTYPE_", of(DType.values(), DType::number));
    numbers("CKPT_MEMORY_", of(MemoryEventKind.values(), MemoryEventKind::number));
    numbers("CKPT_MEMORY_ORDER_", of(MemoryOrder.values(), MemoryOrder::number));
    numbers("CKPT_LOG_", of(LogLevel.values(), LogLevel::ordinal));
    numbers("CKPT_WRITE_", of(WritePath.values(), WritePath::number));
    numbers("CKPT_STRATEGY_CHOSEN_", of(StrategyChosen.values(), StrategyChosen::number));
    numbers("CKPT_ACTION_", of(ActionKind.values(), ActionKind::number));
    numbers("CKPT_ITEM_", of(Item.values(), Item::number));
    numbers("CKPT_VERIFY_", of(Verify.values(), Verify::number));
    numbers("CKPT_ASYNC_", of(StagingMode.values(), StagingMode::number));
    numbers("CKPT_ASYNC_", of(WhenFull.values(), WhenFull::number));
    numbers("CKPT_ASYNC_PRIORITY_", of(Priority.values(), Priority::number));
    numbers("CKPT_ASYNC_", of(CheckpointTaskState.values(), CheckpointTaskState::number));
    numbers("CKPT_ASYNC_", of(CheckpointTaskKind.values(), CheckpointTaskKind::number));
    numbers("CKPT_ASYNC_", of(CloseMode.values(), CloseMode::number));
    numbers("CKPT_POLICY_", of(Policy.values(), Policy::number));
    numbers("CKPT_REASON_", of(Reason.values(), Reason::number));
    numbers("CKPT_PIPELINE_", Map.of("GPIPE", PipelineOrder.GPIPE.number(), "1F1B",
        PipelineOrder.ONE_FORWARD_ONE_BACKWARD.number(),
        "INTERLEAVED", PipelineOrder.INTERLEAVED.number()));
    numbers("CKPT_INTERVAL_", of(IntervalKind.values(), IntervalKind::number));
    numbers("CKPT_ACTIVATION_", of(ActivationPolicyKind.values(), ActivationPolicyKind::number));
    numbers("CKPT_LAYER_", Map.of("NEEDS_INPUT", LayerFlag.NEEDS_INPUT, "NEEDS_OUTPUT", LayerFlag.NEEDS_OUTPUT,
        "DETERMINISTIC", LayerFlag.DETERMINISTIC, "NO_INPUT_GRADIENT", LayerFlag.NO_INPUT_GRADIENT));
  }

  public static void main(String[] arguments) {
    Check.run(TestCoverage.class);
  }
}
