import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** One command: its words, without the options. Arguments are counted from 1. */
final class Command {
  private static final Pattern OPTION = Pattern.compile("([a-z_]+)=(.*)", Pattern.DOTALL);
  private final List<String> words = new ArrayList<>();
  private final Map<String, String> options = new HashMap<>();
  private final Set<String> used = new HashSet<>();

  Command(String line) {
    for (String word : line.split(" +")) {
      Matcher option = OPTION.matcher(word);
      if (option.matches()) {
        options.put(option.group(1), unescaped(option.group(2)));
      } else if (!word.isEmpty()) {
        words.add(unescaped(word));
      }
    }
  }

  private static String unescaped(String word) {
    if (word.equals("-")) return "";
    return Pattern.compile("\\\\(.)").matcher(word).replaceAll(found -> found.group(1).equals("s") ? " "
        : Matcher.quoteReplacement(found.group(1)));
  }

  String name() {
    return words.get(0);
  }

  int arguments() {
    return words.size() - 1;
  }

  String text(int index) {
    if (index >= words.size()) throw new Misuse(name() + ": missing argument " + index);
    return words.get(index);
  }

  long integer(int index) {
    return Long.parseLong(text(index));
  }

  double number(int index) {
    return Double.parseDouble(text(index));
  }

  String option(String key, String otherwise) {
    used.add(key);
    return options.getOrDefault(key, otherwise);
  }

  /** Calls a function with an option, if present. */
  void given(String key, Consumer<String> use) {
    String value = option(key, null);
    if (value != null) use.accept(value);
  }

  void integer(String key, Consumer<Long> use) {
    given(key, text -> use.accept(Long.parseLong(text)));
  }

  void number(String key, Consumer<Double> use) {
    given(key, text -> use.accept(Double.parseDouble(text)));
  }

  List<String> names(String key) {
    return List.of(option(key, "").split(",")).stream().filter(name -> !name.isEmpty()).toList();
  }

  void checkAllUsed() {
    for (String key : options.keySet()) {
      if (!used.contains(key)) throw new Misuse(name() + ": unknown option " + key);
    }
  }
}
