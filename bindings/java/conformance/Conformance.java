import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.ckpt.CkptException;

/** The conformance runner of Java (bindings/conformance/README.md), through the public classes only. */
final class Conformance {
  /** Disabled, because scenarios contain callbacks that throw. A logger without a reference would lose its level. */
  private static final Logger LOG = Logger.getLogger("org.ckpt");

  private final String scratch;
  private Scenario scenario;
  private int scenarios;
  private int commands;
  private int wrong;
  private List<String> printed = List.of();
  private String detail = "";
  private String where = "";

  private Conformance(String scratch) {
    this.scratch = scratch;
  }

  private void file(String path) throws IOException {
    List<String> expected = new ArrayList<>();
    int number = 0;
    for (String line : Files.readString(Path.of(path)).split("\n")) {
      ++number;
      if (line.isEmpty() || line.startsWith("#")) continue;
      if (line.equals("=") || line.startsWith("= ")) {
        expected.add(line.equals("=") ? "" : line.substring(2));
        continue;
      }
      compare(expected);
      expected.clear();
      System.out.println(line);
      where = path + ":" + number + ": ";
      if (line.startsWith("== ")) {
        endScenario();
        scenario = new Scenario(scratch + "/" + ++scenarios);
      } else {
        command(line);
      }
    }
    compare(expected);
    endScenario();
  }

  private void endScenario() {
    if (scenario != null) scenario.close();
    scenario = null;
  }

  private void command(String line) {
    ++commands;
    if (scenario == null) throw new Misuse(where + "a command before the first scenario");
    Command command = new Command(line);
    try {
      printed = List.copyOf(scenario.run(command));
      command.checkAllUsed();
    } catch (CkptException error) {
      printed = List.of("error " + error.status());
      detail = error.getMessage();
    } catch (RuntimeException mistake) {
      Misuse misuse = new Misuse(where + mistake);
      misuse.initCause(mistake);
      throw misuse;
    }
    for (String text : printed) System.out.println("= " + text);
  }

  private void compare(List<String> expected) {
    if (!printed.equals(expected)) {
      ++wrong;
      System.err.println(where + "wrong. Expected: " + expected + " printed: " + printed + " (" + detail + ")");
    }
    printed = List.of();
    detail = "";
  }

  private static int run(String[] words) throws IOException {
    if (words.length == 2 && words[0].equals("write")) return Matrix.write(Path.of(words[1]));
    if (words.length == 2 && words[0].equals("read")) return Matrix.read(Path.of(words[1]));
    if (words.length == 2 && words[0].equals("write-trees")) return Matrix.writeTrees(Path.of(words[1]));
    if (words.length == 2 && words[0].equals("read-trees")) return Matrix.readTrees(Path.of(words[1]));
    if (words.length < 3
        || !words[0].equals("run")) throw new Misuse("usage: Conformance run SCRATCH FILE... | write DIR | read DIR");
    Conformance run = new Conformance(words[1]);
    for (int i = 2; i < words.length; ++i) run.file(words[i]);
    System.out.println(run.scenarios + " scenarios, " + run.commands + " commands, " + run.wrong + " wrong");
    return run.wrong == 0 && run.commands > 0 ? 0 : 1;
  }

  public static void main(String[] words) {
    LOG.setLevel(Level.OFF);
    System.setOut(new PrintStream(System.out, true, StandardCharsets.UTF_8));
    System.setErr(new PrintStream(System.err, true, StandardCharsets.UTF_8));
    int result;
    try {
      result = run(words);
    } catch (Misuse | IOException error) {
      System.err.println(error.getMessage());
      result = 2;
    }
    System.exit(result);
  }
}
