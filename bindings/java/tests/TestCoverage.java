import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.ckpt.*;

/** Every function of the C API is used by the public classes, or a reason is listed. */
final class TestCoverage {
  private static final Path SOURCES = Path.of(System.getenv("CKPT_JAVA_SOURCES"));
  private static final Path GENERATED = Path.of(System.getenv("CKPT_JAVA_GENERATED"));

  private static final Map<String, String> REASONS =
      Map.ofEntries(
          Map.entry("ckpt_get_api", "a table of C functions for programs that load the library themselves"),
          Map.entry("ckpt_start_thread", "threads of the language: java.lang.Thread"),
          Map.entry("ckpt_tree_add", "swig/tree.hpp has a function for each kind of value"),
          Map.entry("ckpt_tree_get", "swig/tree.hpp has a function for each kind of value"),
          Map.entry("ckpt_struct_init", "the generated classes of structs begin with the defaults"),
          Map.entry("ckpt_callback_error", "callbacks throw exceptions: the native code passes their text on"),
          Map.entry("ckpt_tree_create_from_text", "Reader.get reads trees where they are saved"),
          Map.entry("ckpt_tree_get_text", "State.set writes trees where they are saved"),
          Map.entry("ckpt_status_name", "the names of the enum Status are the same"),
          Map.entry("ckpt_action_kind_name", "the names of the enum ActionKind are the same"));

  private static String source() throws Exception {
    StringBuilder all = new StringBuilder();
    for (Path folder : List.of(SOURCES, GENERATED)) {
      try (Stream<Path> files = Files.walk(folder).filter(Files::isRegularFile)) {
        for (Path file : files.toList()) all.append(Files.readString(file));
      }
    }
    return all.toString();
  }

  static void testEveryFunctionIsReachable() throws Exception {
    String source = source();
    List<String> missing = new ArrayList<>();
    int functions = 0;
    String table = Files.readString(Path.of(System.getenv("CKPT_API_TABLE")));
    for (MatchResult match : Pattern.compile("\\n  [^\\n]*\\(\\*(ckpt_\\w+)\\)").matcher(table).results().toList()) {
      String name = match.group(1);
      ++functions;
      boolean used = Pattern.compile("\\b" + name + "\\b").matcher(source).find();
      if (used == REASONS.containsKey(name)) missing.add(name);
    }
    Check.equal(List.of(), missing);
    Check.that(functions > 300, "only " + functions + " functions");
  }

  static void testGeneratedClassesAreNotPublic() throws Exception {
    Set<String> written = new TreeSet<>();
    for (Path folder : List.of(SOURCES, GENERATED)) {
      try (Stream<Path> files = Files.walk(folder).filter(Files::isRegularFile)) {
        files.forEach(file -> written.add(folder.relativize(file).toString().replace(".java", "")));
      }
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
        Check.that(!simple.startsWith("SWIGTYPE"), simple + ": java.i has no typemap for this type");
      }
      Check.that(generated > 40, "generated classes");
    }
  }

  /** No class may have a finalizer. */
  static void testNoFinalizers() throws Exception {
    Check.that(!source().contains(" finalize("), "a finalizer is written");
    try (java.util.jar.JarFile jar = new java.util.jar.JarFile(System.getenv("CKPT_JAR"))) {
      for (String name : jar.stream().map(java.util.jar.JarEntry::getName).filter(n -> n.endsWith(".class")).toList()) {
        Class<?> type = Class.forName(name.replace('/', '.').replace(".class", ""), false, TestCoverage.class.getClassLoader());
        for (var method : type.getDeclaredMethods()) Check.that(!method.getName().equals("finalize"), name);
      }
    }
  }

  /** The numbers of an enum are those of the header. */
  static void testNumbersOfDTypesAreThoseOfTheHeader() throws Exception {
    String header = Files.readString(Path.of(System.getenv("CKPT_INCLUDE"), "tensor.h"));
    List<String> defined = Pattern.compile("#define CKPT_DTYPE_(\\w+) +(\\d+)").matcher(header).results()
        .map(match -> match.group(1) + " " + match.group(2)).toList();
    List<String> known = Stream.of(DType.values()).filter(one -> one != DType.UNKNOWN)
        .map(one -> one.name() + " " + one.number()).toList();
    Check.equal(defined, known);
  }

  /** Imports of whole packages together with org.ckpt.* stay unambiguous. */
  static void testNoNameOfTheJdk() throws Exception {
    int names = 0;
    for (Path folder : List.of(SOURCES, GENERATED)) {
      try (Stream<Path> files = Files.walk(folder).filter(Files::isRegularFile)) {
        for (String name : files.map(file -> file.getFileName().toString().replace(".java", "")).toList()) {
          ++names;
          for (String jdk : List.of("java.lang.", "java.util.", "java.util.concurrent.")) {
            Check.raises(ClassNotFoundException.class, "", () -> Class.forName(jdk + name));
          }
        }
      }
    }
    Check.that(names > 100, "only " + names + " names");
  }

  /** An unknown number from a newer library is not an error. */
  static void testUnknownNumbers() throws Exception {
    int enums = 0;
    try (Stream<Path> files = Files.list(GENERATED)) {
      for (Path file : files.toList()) {
        Class<?> type = Class.forName("org.ckpt." + file.getFileName().toString().replace(".java", ""));
        if (!type.isEnum()) continue;
        var of = type.getDeclaredMethod("of", int.class);
        of.setAccessible(true);
        Check.equal("UNKNOWN", ((Enum<?>) of.invoke(null, 12345)).name());
        ++enums;
      }
    }
    Check.that(enums > 15, "only " + enums + " enums");
  }

  /** Options have the library's default values. */
  static void testDefaultsAreTheLibrarys() throws Exception {
    int compared = 0;
    try (Stream<Path> files = Files.list(GENERATED)) {
      for (Path file : files.toList()) {
        Class<?> type = Class.forName("org.ckpt." + file.getFileName().toString().replace(".java", ""));
        for (var with : type.getDeclaredMethods()) {
          if (!with.getName().equals("with")) continue;
          with.setAccessible(true);
          java.lang.reflect.InvocationHandler compares = (proxy, method, given) -> {
            compare(given[0]);
            return null;
          };
          Object into = java.lang.reflect.Proxy.newProxyInstance(type.getClassLoader(), with.getParameterTypes(), compares);
          var constructor = type.getDeclaredConstructor();
          with.invoke(constructor.newInstance(), into);
          ++compared;
        }
      }
    }
    Check.that(compared > 15, "only " + compared + " classes of options");
  }

  private static void compare(Object struct) throws Exception {
    var make = struct.getClass().getDeclaredConstructor();
    make.setAccessible(true);
    Object fresh = make.newInstance();
    for (var getter : struct.getClass().getDeclaredMethods()) {
      if (!getter.getName().startsWith("get") || getter.getParameterCount() > 0) continue;
      getter.setAccessible(true);
      Object expected = getter.invoke(fresh);
      Object created = getter.invoke(struct);
      Check.that(java.util.Objects.deepEquals(expected, created), struct.getClass().getSimpleName() + "." + getter.getName() + ": " + expected + ", and made " + created);
    }
    ((AutoCloseable) fresh).close();
  }

  public static void main(String[] arguments) {
    Check.run(TestCoverage.class);
  }
}
