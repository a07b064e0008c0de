import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.ckpt.*;

/** Version, errors, clocks, thread pools, hooks, random numbers, strings. */
final class TestBase {
  static void testLogger() throws Exception {
    java.util.List<String> seen = new java.util.concurrent.CopyOnWriteArrayList<>();
    System.Logger logger = new System.Logger() {
      @Override
      public String getName() {
        return "test";
      }

      @Override
      public boolean isLoggable(Level level) {
        return true;
      }

      @Override
      public void log(Level level, java.util.ResourceBundle bundle, String message, Throwable thrown) {
        seen.add(level + " " + message);
      }

      @Override
      public void log(Level level, java.util.ResourceBundle bundle, String format, Object... values) {
        seen.add(level + " " + format);
      }
    };
    LogListener listener = LogListener.to(logger);
    for (LogLevel level : new LogLevel[] {LogLevel.DEBUG, LogLevel.INFO, LogLevel.WARNING, LogLevel.ERROR}) {
      listener.message(level, "state", "text {0}");
    }
    Check.equal(java.util.List.of("DEBUG state: text {0}", "INFO state: text {0}", "WARNING state: text {0}", "ERROR state: text {0}"), seen);
    seen.clear();
    java.nio.file.Path folder = java.nio.file.Files.createTempDirectory("ckpt-java");
    java.nio.file.Path torn = java.nio.file.Files.createDirectory(folder.resolve("step-000000000003-0badcafe"));
    Ckpt.setLog(LogLevel.INFO, listener);
    try (Storage storage = Storage.fileSystem(folder); CheckpointManager checkpoints = new CheckpointManager(storage)) {
      Check.that(!java.nio.file.Files.exists(torn), "the cut-off save is set aside");
    } finally {
      Ckpt.setLog(LogLevel.INFO, null);
      for (String name : new String[] {"torn-" + torn.getFileName(), ".lock", ""}) java.nio.file.Files.deleteIfExists(folder.resolve(name));
    }
    Check.that(seen.stream().anyMatch(text -> text.startsWith("WARNING state: ") && text.contains("torn-")), "the log: " + seen);
  }

  static void testVersion() {
    String[] parts = Ckpt.versionString().split("\\.");
    Check.equal(3, parts.length);
    int version = Integer.parseInt(parts[0]) * 1000000 + Integer.parseInt(parts[1]) * 1000 + Integer.parseInt(parts[2]);
    Check.equal(version, Ckpt.version());
    Check.that(!Ckpt.buildInfo().isEmpty(), "build info");
    Check.that(Ckpt.hasFeature("safetensors"), "safetensors");
    Check.that(!Ckpt.hasFeature("no such"), "no such feature");
    Check.that(Ckpt.availableThreads() >= 1, "threads");
  }

  static void testErrorsNameArgumentAndValue() {
    CkptInvalidArgumentException error = Check.raises(CkptInvalidArgumentException.class, "-1", () -> Clock.manual(-1));
    Check.equal(Status.INVALID_ARGUMENT, error.status());
    Check.equal(-1, error.status().number());
    Check.raises(CkptInvalidArgumentException.class, "thread_count", () -> new WorkerPool(-1));
  }

  static void testClosedObjectsThrow() {
    Clock clock = Clock.manual(5);
    clock.close();
    clock.close();
    Check.that(clock.isClosed(), "closed");
    Check.raises(CkptInvalidStateException.class, "the Clock is closed", clock::nowNs);
  }

  static void testClocks() {
    try (Clock clock = Clock.manual(5)) {
      clock.advance(7);
      Check.equal(12L, clock.nowNs());
      Check.raises(CkptInvalidArgumentException.class, "", () -> clock.advance(-1));
    }
    AtomicLong now = new AtomicLong(100);
    try (Clock clock = Clock.custom(now::get)) {
      Check.equal(100L, clock.nowNs());
      now.set(200);
      Check.equal(200L, clock.nowNs());
      Check.raises(CkptInvalidStateException.class, "", () -> clock.advance(1));
    }
    try (Clock clock = Clock.custom(() -> {
          if (now.incrementAndGet() > 202) throw new IllegalStateException("no time");
          return now.get();
        })) {
      Check.equal(201L, clock.nowNs());
      Check.equal(202L, clock.nowNs());
      Check.equal(202L, clock.nowNs()); // the last time, when it throws
    }
    Check.that(Ckpt.monotonicNs() <= Ckpt.monotonicNs(), "monotonic");
  }

  static void testPhilox() {
    int[] words = Ckpt.philox(new int[4], new int[2]);
    Check.equal(0x6627e8d5, words[0]); // the paper's known answer
    Check.equal(0xe169c58d, words[1]);
    Check.equal(0xbc57ac4c, words[2]);
    Check.equal(0x9b00dbd8, words[3]);
    Check.raises(CkptInvalidArgumentException.class, "expected 4 words", () -> Ckpt.philox(new int[3], new int[2]));
  }

  static void testThreadPool() {
    try (WorkerPool pool = new WorkerPool(3)) {
      Check.equal(3, pool.threadCount());
      Set<Long> parts = ConcurrentHashMap.newKeySet();
      pool.run(1000, parts::add);
      Check.equal(1000, parts.size());
      Check.raises(CkptCallbackException.class, "part is bad", () -> pool.run(10, part -> {
            throw new IllegalStateException("part is bad");
          }));
      pool.run(1, part -> {}); // still works
    }
  }

  static void testThreadsOfTheLibraryAreAttachedOnceAsDaemonsWithTheirName() {
    Set<Thread> threads = ConcurrentHashMap.newKeySet();
    try (WorkerPool pool = new WorkerPool(4)) {
      for (int i = 0; i < 50; ++i) {
        pool.run(64, part -> threads.add(Thread.currentThread()));
      }
    }
    threads.remove(Thread.currentThread());
    Check.that(threads.size() <= 3, "a thread was attached again: " + threads.size());
    for (Thread thread : threads) {
      Check.that(thread.isDaemon(), "not a daemon");
      Check.that(thread.getName().startsWith("ckpt"), "name " + thread.getName());
    }
  }

  private static final int COLLECTIONS = 20;
  private static final long ENOUGH = 5_000_000_000L; // some seconds
  private static volatile int collections;

  /** Collections can stop the library's threads in a loop without calls, and in callbacks that allocate. */
  static void testCollectionsStopThreadsOfTheLibrary() throws Exception {
    CyclicBarrier met = new CyclicBarrier(3);
    AtomicInteger interrupted = new AtomicInteger();
    collections = 0;
    Thread collector = new Thread(() -> {
      meet(met);
      while (collections < COLLECTIONS) {
        System.gc();
        ++collections;
      }
    });
    try (WorkerPool pool = new WorkerPool(2)) {
      collector.start();
      pool.run(2, part -> {
        meet(met);
        long turns = 0;
        while (collections < COLLECTIONS && turns < ENOUGH) ++turns;
        if (turns < ENOUGH) interrupted.incrementAndGet();
      });
      collector.join();
      Check.equal(2, interrupted.get());

      AtomicInteger parts = new AtomicInteger();
      Thread again = new Thread(() -> {
        while (parts.get() < 1000) System.gc();
      });
      again.start();
      pool.run(1000, part -> {
        List<byte[]> garbage = new ArrayList<>();
        for (int i = 0; i < 100; ++i) garbage.add(new byte[1000]);
        parts.addAndGet(garbage.size() / 100);
      });
      again.join();
      Check.equal(1000, parts.get());
    }
  }

  private static void meet(CyclicBarrier met) {
    try {
      met.await();
    } catch (InterruptedException | BrokenBarrierException e) {
      throw new IllegalStateException(e);
    }
  }

  static void testThreadHooks() {
    List<String> events = new CopyOnWriteArrayList<>();
    try (ThreadHooks hooks = new ThreadHooks(name -> events.add("start"), name -> events.add("stop"))) {
      WorkerPool pool = new WorkerPool(2);
      pool.run(10, part -> {});
      pool.close();
      Check.equal(List.of("start", "stop"), events);
      try (ThreadHooks failing = new ThreadHooks(name -> {
            throw new IllegalStateException("hook");
          }, null)) {
        new WorkerPool(2).close();
      }
    }
    new WorkerPool(2).close();
    Check.equal(4, events.size());
    Check.raises(CkptInvalidArgumentException.class, "start", () -> new ThreadHooks(null, null));
  }

  static void testStringsBeyondTheBasicPlane() {
    try (MemoryTracker tracker = new MemoryTracker()) {
      String name = "Gr\u00F6\u00DFe \uD83D\uDE00 \u5C64";
      int layer = tracker.addLayer(name);
      Check.equal(name, tracker.layerName(layer));
      Check.equal(name, tracker.layerStats(name).name());
      String longer = "\uD83D\uDE00\u00E9".repeat(500);
      Check.equal(longer, tracker.layerName(tracker.addLayer(longer)));
      Check.raises(CkptInvalidArgumentException.class, "NUL", () -> tracker.addLayer("a\0b"));
      Check.raises(CkptInvalidArgumentException.class, "surrogate", () -> tracker.addLayer("a\uD83D"));
      Check.raises(CkptInvalidArgumentException.class, "name", () -> tracker.addLayer(null));
    }
  }

  public static void main(String[] arguments) {
    Check.run(TestBase.class);
  }
}
