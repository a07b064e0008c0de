import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.ckpt.*;

/** Failures of background saves that cannot be returned to a caller, each in its own process: standard error, exit status, log. */
final class TestUnreceived {
  private static final String TEXT = "no caller has seen this failure: task 1 (save of step 7) failed: ";

  static final class Child {
    private static AsyncManager kept;

    /** Starts a save and removes its directory before a worker begins it. */
    private static AsyncManager lose(Path root) throws Exception {
      CheckpointManager checkpoints = CheckpointManager.open(root);
      AsyncManager manager = new AsyncManager(checkpoints);
      State state = new State().add("model", "t", new Tensor(DType.F32, 4));
      manager.save(state, new SaveOptions().step(7), new CheckpointTaskOptions().gateStep(1_000_000));
      TestStorage.delete(root);
      checkpoints.close();
      return manager;
    }

    private static void collectUntil(CountDownLatch latch) throws Exception {
      for (int i = 0; i < 600 && latch.getCount() > 0; ++i) {
        System.gc();
        latch.await(100, TimeUnit.MILLISECONDS);
      }
    }

    public static void main(String[] arguments) throws Exception {
      Path root = Path.of(arguments[1]);
      switch (arguments[0]) {
        case "exit" -> kept = lose(root);
        case "log" -> { // the manager is unreachable, and its cleaner releases it
          CountDownLatch received = new CountDownLatch(1);
          Ckpt.setLog(LogLevel.ERROR, (level, component, message) -> {
                System.out.println(level + " " + component + " " + message);
                if (message.startsWith("no caller")) received.countDown();
              });
          lose(root).waitAll(null); // tasks that have not ended keep their manager alive
          collectUntil(received);
        }
        case "caught" -> {
          try (AsyncManager manager = lose(root)) {
            System.out.println("closing");
          } catch (CkptInvalidStateException error) {
            System.out.println("caught");
          }
        }
        case "next" -> { // the next save of the same storage returns the failure
          CountDownLatch received = new CountDownLatch(1);
          Ckpt.setLog(LogLevel.ERROR, (level, component, message) -> {
                if (message.startsWith("no caller")) received.countDown();
              });
          lose(root).waitAll(null); // tasks that have not ended keep their manager alive
          collectUntil(received);
          try (CheckpointManager checkpoints = CheckpointManager.open(root)) {
            State state = new State().add("model", "t", new Tensor(DType.F32, 4));
            for (long step = 8; step < 10; ++step) {
              SaveResult saved = checkpoints.save(state, new SaveOptions().step(step));
              System.out.println(saved.unreportedFailures() + " " + saved.unreportedStatus() + " " + saved.unreportedError());
            }
          }
        }
        default -> throw new AssertionError(arguments[0]);
      }
    }
  }

  private record Ended(int status, String out, String errors) {}

  private static Ended run(String way, String setting) throws Exception {
    List<String> command = new ArrayList<>(List.of(System.getProperty("java.home") + "/bin/java"));
    command.addAll(List.of("-Xmx128m", "-XX:TieredStopAtLevel=1", "--enable-native-access=ALL-UNNAMED"));
    Path folder = Files.createTempDirectory("ckpt-unreceived");
    Path errors = folder.resolve("errors");
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), "TestUnreceived$Child", way));
    command.add(folder.resolve("run").toString());
    ProcessBuilder builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.appendTo(errors.toFile()));
    builder.environment().remove("CKPT_LOG");
    if (setting != null) builder.environment().put("CKPT_LOG", setting);
    Process process = builder.start();
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    Check.that(process.waitFor(300, TimeUnit.SECONDS), way + " did not end");
    String text = Files.readString(errors);
    TestStorage.delete(folder);
    return new Ended(process.exitValue(), out, text);
  }

  private static int count(String text, String part) {
    return text.split(Pattern.quote(part), -1).length - 1;
  }

  static void testAtExit() throws Exception {
    Ended ended = run("exit", null);
    Check.equal(0, ended.status());
    Check.that(count(ended.errors(), "async: " + TEXT) == 1, ended.errors());
    Check.equal(0, count(ended.errors(), "ckpt: async")); // without the line of the native library
  }

  static void testEnvironment() throws Exception {
    Check.equal("", run("exit", "off").errors());
    Ended ended = run("exit", "stderr");
    Check.that(ended.errors().startsWith("ckpt: async: " + TEXT), ended.errors());
    Check.equal(1, count(ended.errors(), "\n"));
  }

  static void testLog() throws Exception {
    Ended ended = run("log", null);
    Check.equal("", ended.errors());
    Check.that(count(ended.out(), "ERROR async " + TEXT) == 1, ended.out());
  }

  static void testCaller() throws Exception {
    Ended ended = run("caught", null);
    Check.equal("0 closing\ncaught\n", ended.status() + " " + ended.out());
    Check.equal("", ended.errors());
  }

  static void testNextSaveOfTheStorage() throws Exception {
    Ended ended = run("next", null);
    Check.equal("", ended.errors());
    Check.that(ended.out().matches("1 INVALID_STATE task 1 \\(save of step 7\\) failed: .*\n0 OK \n"), ended.out());
  }

  public static void main(String[] arguments) {
    Check.run(TestUnreceived.class);
  }
}
