import java.nio.FloatBuffer;
import java.util.function.IntConsumer;
import org.ckpt.*;

/**
 * Measures calls between Java and the library: java -cp build/release/java/ckpt-*.jar bench/BindingsJava.java. Prints nanoseconds
 * per call: the minimum over several rounds, without the loop's own time.
 */
public final class BindingsJava {
  private static final int ROUNDS = 9;
  private static long sink;

  private BindingsJava() {}

  private static double nanoseconds(int calls, IntConsumer loop) {
    long best = Long.MAX_VALUE;
    for (int round = 0; round < ROUNDS; ++round) {
      long begin = System.nanoTime();
      loop.accept(calls);
      best = Math.min(best, System.nanoTime() - begin);
    }
    return (double) best / calls;
  }

  private static void row(String name, double value) {
    System.out.printf("%-66s%9.1f ns%n", name, value);
  }

  private static void versions(int calls) {
    for (int i = 0; i < calls; ++i) sink += Ckpt.version();
  }

  private static void empty(int calls) {
    for (int i = 0; i < calls; ++i) sink += calls;
  }

  private static double part(WorkerPool pool, int calls) {
    return nanoseconds(calls, n -> pool.run(n, part -> sink += part));
  }

  /** Items are numbers; no computation. */
  private static final class Numbers implements Framework<Long> {
    private long next;

    @Override
    public Long forward(DriveCall call, Long input) {
      return ++next;
    }

    @Override
    public Recorded<Long> record(DriveCall call, Long input) {
      return new Recorded<>((call.flags() & DriveFlag.NO_OUTPUT) != 0 ? null : (Long) (++next), ++next);
    }

    @Override
    public Long backward(DriveCall call, Long input, Long output, Long tape, Long gradOutput) {
      return ++next;
    }

    @Override
    public Long turn(DriveCall call, Long output) {
      return ++next;
    }
  }

  private static void drive() {
    LayerProfile layer = new LayerProfile().flags(LayerFlag.DETERMINISTIC).outputBytes(1000);
    OptionProfile option = new OptionProfile().tapeBytes(3000).forwardSeconds(1).backwardSeconds(2).hasRecord(true);
    try (Profile profile = Profile.uniform(1000, layer, option); Schedule schedule = Schedule.create(profile, "sqrt")) {
      Driver<Long> driver = new Driver<>(schedule, new Numbers());
      double step = nanoseconds(20, n -> {
            for (int i = 0; i < n; ++i) sink += driver.run(0L);
          });
      row("an action of a driver, over a framework that does nothing", step / schedule.verify(profile).actions());
      driver.close();
    }
  }

  public static void main(String[] arguments) {
    row("Ckpt.version()", nanoseconds(20_000_000, BindingsJava::versions) - nanoseconds(20_000_000, BindingsJava::empty));
    try (MemoryTracker silent = new MemoryTracker(); MemoryTracker heard = new MemoryTracker();
        Strategy interval = Strategy.interval(2);
        Strategy mine = Strategy.custom("mine", question -> question.layerIndex() == 1); WorkerPool one = new WorkerPool(1);
        WorkerPool two = new WorkerPool(2); Clock clock = Clock.custom(() -> 1); Tensor tensor = new Tensor(DType.F32, 1024)) {
      heard.subscribe(event -> sink += event.bytes(), MemoryEventKind.ALLOCATED);
      int layer = silent.addLayer("layer");
      heard.addLayer("layer");
      double quiet = nanoseconds(500_000, n -> {
            for (int i = 0; i < n; ++i) silent.recordDeallocation(silent.recordAllocation(layer, 8));
          });
      double loud = nanoseconds(500_000, n -> {
            for (int i = 0; i < n; ++i) heard.recordDeallocation(heard.recordAllocation(layer, 8));
          });
      row("recordAllocation and recordDeallocation, by number", quiet);
      row("callback: a memory event (ten values, one a text)", loud - quiet);
      TensorSpec spec = new TensorSpec(DType.F32, 16, 16);
      double asked = nanoseconds(500_000, n -> {
            for (int i = 0; i < n; ++i) sink += interval.shouldCheckpoint("layer", spec, 1) ? 1 : 0;
          });
      double decided = nanoseconds(500_000, n -> {
            for (int i = 0; i < n; ++i) sink += mine.shouldCheckpoint("layer", spec, 1) ? 1 : 0;
          });
      row("a question to a built-in strategy", asked);
      row("callback: a strategy's decision (text and shape)", decided - asked);
      row("callback: a clock", nanoseconds(500_000, n -> {
            for (int i = 0; i < n; ++i) sink += clock.nowNs();
          }));
      row("callback: a part of a thread pool, on the calling thread", part(one, 500_000));
      row("callback: a part of a thread pool, two threads", part(two, 500_000));
      FloatBuffer first = tensor.floatBuffer();
      row("a tensor's floatBuffer(), not the first one", nanoseconds(500_000, n -> {
            for (int i = 0; i < n; ++i) sink += tensor.floatBuffer().capacity();
          }));
      row("one element read through such a view", nanoseconds(20_000_000, n -> {
            float sum = 0;
            for (int i = 0; i < n; ++i) sum += first.get(i & 1023);
            sink += (long) sum;
          }));
    }
    drive();
    System.out.println(sink == 42 ? "" : "Java " + System.getProperty("java.version") + ", libckpt " + Ckpt.versionString());
  }
}
