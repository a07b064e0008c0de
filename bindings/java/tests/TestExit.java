import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.ckpt.*;

/** Shutdown of the virtual machine while the library works: clean, or after a wait as configured, 20 of 20 times (the long tests;
 * else 6 of 6). */
final class TestExit {
  private static final int RUNS = "1".equals(System.getenv("CKPT_TEST_LONG")) ? 20 : 6;

  /** One of the ways to exit, in a separate virtual machine. */
  static final class Child {
    private static Tensor tensor;
    private static State state;
    private static AsyncManager manager;

    private static void manager(Path root, AsyncManagerOptions options, CheckpointTaskListener listener) {
      tensor = new Tensor(DType.F32, 4 << 20);
      tensor.fill(1);
      state = new State().add("model", "t", tensor);
      manager = new AsyncManager(CheckpointManager.open(root), options, listener);
    }

    public static void main(String[] arguments) throws Exception {
      Path root = Path.of(arguments[1]);
      CountDownLatch begun = new CountDownLatch(1);
      CheckpointTaskListener listener = new CheckpointTaskListener() {
        @Override
        public void progress(long id, long doneBytes, long totalBytes) {
          begun.countDown();
        }
      };
      switch (arguments[0]) {
        case "drain", "exit" -> { // main returns, or calls exit, while a save runs: it is drained
          manager(root, new AsyncManagerOptions(), listener);
          manager.save(state, 1);
          manager.save(state, 2);
          begun.await();
          if (arguments[0].equals("exit")) System.exit(0);
        }
        case "cancel" -> { // no time to drain: cancelled
          manager(root, new AsyncManagerOptions().bytesPerSecond(1 << 20).drainTimeout(java.time.Duration.ZERO), listener);
          manager.save(state, 1);
          begun.await();
          System.exit(0);
        }
        case "direct" -> { // a listener calls exit, on a thread of the manager: no thread can wait for that one
          manager(root, new AsyncManagerOptions(), new CheckpointTaskListener() {
                @Override
                public void ended(CheckpointTaskResult result) {
                  System.exit(0);
                }
              });
          manager.save(state, 1);
          manager.save(state, 2);
          Thread.sleep(Long.MAX_VALUE);
        }
        case "inside" -> { // a listener makes another thread call it
          manager(root, new AsyncManagerOptions().drainTimeout(java.time.Duration.ZERO), new CheckpointTaskListener() {
                @Override
                public void ended(CheckpointTaskResult result) {
                  new Thread(() -> System.exit(0)).start();
                }
              });
          manager.save(state, 1);
          Thread.sleep(Long.MAX_VALUE);
        }
        case "callbacks" -> { // threads of the library and of Java are inside callbacks
          MemoryTracker tracker = new MemoryTracker();
          tracker.subscribe(event -> begun.countDown());
          for (int i = 0; i < 3; ++i) {
            Thread thread = new Thread(() -> {
                  try (WorkerPool pool = new WorkerPool(2)) {
                    for (;;) pool.run(100, part -> tracker.recordDeallocation(tracker.recordAllocation("layer", 1 + part)));
                  }
                });
            thread.setDaemon(true);
            thread.start();
          }
          begun.await();
        }
        case "log" -> { // a log listener and unreferenced objects of all kinds
          Ckpt.setLog(LogLevel.DEBUG, (level, component, message) -> {});
          for (int i = 0; i < 100; ++i) new MemoryTracker().subscribe(event -> {});
          new WorkerPool(3);
          System.gc();
        }
        default -> throw new AssertionError(arguments[0]);
      }
    }
  }

  private static void runs(String way, int saved) throws Exception {
    List<String> command = new ArrayList<>(List.of(System.getProperty("java.home") + "/bin/java"));
    command.addAll(List.of("-Xmx128m", "-XX:TieredStopAtLevel=1", "--enable-native-access=ALL-UNNAMED"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), "TestExit$Child", way, ""));
    for (int i = 0; i < RUNS; ++i) {
      Path root = Files.createTempDirectory("ckpt-exit");
      command.set(command.size() - 1, root.toString());
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      String text = new String(process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
      Check.that(process.waitFor(120, TimeUnit.SECONDS), way + ": run " + i + " did not end");
      Check.equal(way + " 0 ", way + " " + process.exitValue() + " " + text);
      if (saved >= 0) {
        try (CheckpointManager checkpoint = CheckpointManager.open(root, new CheckpointManagerOptions().readOnly(true))) {
          Check.equal((long) saved, checkpoint.list().stream().filter(info -> info.status() == Status.OK).count());
          if (saved > 0) checkpoint.verify(null);
        }
      }
      TestStorage.delete(root);
    }
  }

  static void testMainReturnsDuringASave() throws Exception {
    runs("drain", 2);
  }

  static void testExitDuringASave() throws Exception {
    runs("exit", 2);
  }

  static void testExitWithoutTimeToDrain() throws Exception {
    runs("cancel", 0);
  }

  static void testExitFromAListener() throws Exception {
    runs("inside", 1);
  }

  static void testExitByAListenerItself() throws Exception {
    runs("direct", 1);
  }

  static void testExitDuringCallbacks() throws Exception {
    runs("callbacks", -1);
  }

  static void testExitWithALogAndUnreferencedObjects() throws Exception {
    runs("log", -1);
  }

  public static void main(String[] arguments) {
    Check.run(TestExit.class);
  }
}
