import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import org.ckpt.*;
import org.ckpt.compat.AsyncCheckpointManager;

/** One scenario: adds the commands on checkpoints, background tasks and controllers. */
final class Scenario extends Stages {
  private static final List<String> FULL = List.of("refuse", "wait", "drop_oldest");
  private static final List<String> MODES = List.of("copy", "borrow", "deferred");
  private final String folder;

  Scenario(String folder) {
    this.folder = folder;
  }

  private static final class Background implements AutoCloseable {
    final EventLog events = new EventLog();
    final CheckpointManager checkpoint;
    final AsyncManager manager;

    Background(CheckpointManager checkpoint, AsyncManager manager) {
      this.checkpoint = checkpoint;
      this.manager = manager;
    }

    Background(CheckpointManager checkpoint, AsyncManagerOptions options) {
      this.checkpoint = checkpoint;
      manager = new AsyncManager(checkpoint, options, new CheckpointTaskListener() {
            @Override
            public void ended(CheckpointTaskResult result) {
              events.add(lower(result.kind()), "step", result.step(), lower(result.state()));
            }
          });
    }

    @Override
    public void close() {
      manager.close();
    }
  }

  /** A model of one tensor. */
  private static final class Part implements Stateful {
    private final Tensor tensor = new Tensor(DType.F32, 4);

    @Override
    public void list(State into) {
      into.add("part", "w", tensor);
    }
  }

  private AsyncCheckpointManager compat(String name) {
    return (AsyncCheckpointManager) of(Background.class, "background", name).manager;
  }

  private long id(String name) {
    if (name.equals("unknown")) return 987_654_321;
    if (name.equals("all")) return 0;
    Found found = find(name, List.of("id", "task"));
    return found.object() instanceof CheckpointTask task ? task.id() : (Long) found.object();
  }

  private static String lower(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }

  /** Returns the name without the random digits at its end. */
  private static String printedName(String name) {
    return name.isEmpty() ? "-" : name.substring(0, Math.max(0, name.lastIndexOf('-')));
  }

  private static String fullName(CheckpointManager checkpoint, String printed) {
    return checkpoint.list().stream().map(CheckpointInfo::name).filter(name ->
        printedName(name).equals(printed)).findFirst().orElse(printed);
  }

  @Override
  List<String> run(Command c) {
    return switch (c.name()) {
      case "state" -> created("state", c.text(1), new State());
      case "add" -> done(() -> state(c.text(1)).add(c.text(2), c.text(3), tensor(c.text(4))));
      case "sharded" -> done(() ->
          state(c.text(1)).addShardedTensor(c.text(2), c.text(3), DType.find(c.text(4)), shapeOf(c.text(5))));
      case "block" -> done(() ->
          state(c.text(1)).addBlock(c.text(2), c.text(3), shapeOf(c.text(4)), tensor(c.text(5))));
      case "value" -> value(c, state(c.text(1)));
      case "checkpoint" -> created("checkpoint", c.text(1), checkpoint(c));
      case "save" -> save(c, checkpoint(c.text(1)));
      case "load" -> load(c, checkpoint(c.text(1)));
      case "list" -> checkpoint(c.text(1)).list().stream()
          .map(n -> joined(printedName(n.name()), "step", n.step(), n.status(), "metric", n.metric().isPresent()
              ? exact(n.metric().getAsDouble()) : "-"))
          .toList();
      case "rank-values" -> {
        CheckpointManager checkpoint = checkpoint(c.text(1));
        yield line(checkpoint.rankValues(fullName(checkpoint, c.text(2)), c.integer(3)));
      }
      case "check" -> {
        CheckpointManager checkpoint = checkpoint(c.text(1));
        VerifyResult n = checkpoint.verify(c.arguments() > 1 ? fullName(checkpoint, c.text(2)) : null);
        yield line(printedName(n.name()), "files", n.files(), "tensors", n.tensors());
      }
      case "read" -> created("tensor", c.text(4), read(c));
      case "damage" -> done(() -> damage(c));
      case "async" -> {
        AsyncManagerOptions options = new AsyncManagerOptions();
        c.integer("capacity", options::capacity);
        c.integer("history", options::history);
        yield created("background", c.text(1), new Background(checkpoint(c.text(2)), options));
      }
      case "start" -> created("task", c.text(1), start(c, of(Background.class, "background", c.text(2))));
      case "cancel" -> line(yesNo(!task(c).isDone() && task(c).cancel(true))); // a cancelled future returns true again
      case "wait" -> {
        CheckpointTaskResult n = task(c).waitFor();
        yield line(lower(n.state()), "step", n.step(), n.status(), printedName(n.name()));
      }
      case "end-step" -> done(() -> of(Background.class, "background", c.text(1)).manager.endStep(c.integer(2)));
      case "finish" -> done(() -> of(Background.class, "background", c.text(1)).manager
          .close(CloseMode.values()[indexOf(List.of("drain", "cancel"), c.text(2))], null));
      case "compat" -> {
        CheckpointManager checkpoint = checkpoint(c.text(2));
        String capacity = c.option("capacity", null);
        yield created("background", c.text(1), new Background(checkpoint, capacity == null ? new AsyncCheckpointManager(checkpoint)
            : new AsyncCheckpointManager(checkpoint, Long.parseLong(capacity))));
      }
      case "queue" -> {
        SaveOptions options = new SaveOptions();
        c.integer("step", options::step);
        Part optimizer = "none".equals(c.option("optimizer", null)) ? null : new Part();
        yield created("id", c.text(1), compat(c.text(2)).queueSaveAsync(new Part(), optimizer, options));
      }
      case "status" -> line(compat(c.text(1)).getTaskStatus(id(c.text(2))).map(Scenario::lower).orElse("none"));
      case "await" -> {
        org.ckpt.compat.CheckpointTaskResult n = compat(c.text(1)).waitForCompletion(id(c.text(2)), null);
        String path = n.checkpointPath();
        yield line(lower(n.status()), yesNo(n.success()), printedName(path == null ? "" : path), path == null ? "no-path" : "path",
            "error", n.error() == null ? "none" : "some");
      }
      case "cancel-id" -> line(yesNo(compat(c.text(1)).cancelCheckpoint(id(c.text(2)))));
      case "active" -> compat(c.text(1)).getActiveTasks().stream()
          .map(n -> joined(lower(n.type()), lower(n.status()), n.startedAt().isEmpty() ? "not-begun" : "begun"))
          .toList();
      case "interval" -> line(thousandths(interval(c)));
      case "threshold" -> {
        ThresholdOptions options = new ThresholdOptions();
        c.number("threshold", options::threshold);
        c.number("rate", options::learningRate);
        c.integer("budget", options::budget);
        yield created("threshold", c.text(1), new Threshold(options));
      }
      case "controller" -> created("controller", c.text(1), new Controller(controllerOptions(c)));
      case "record" -> done(() -> recordEvent(c, find(c.text(1), List.of("threshold", "controller")).object()));
      case "decide" -> decide(c, find(c.text(1), List.of("threshold", "controller")).object());
      case "copy-state" -> done(() -> controller(c.text(2)).restore(controller(c.text(1)).json()));
      case "restore-json" -> done(() -> controller(c.text(1)).restore(c.text(2)));
      default -> super.run(c);
    };
  }

  private State state(String name) {
    return of(State.class, "state", name);
  }

  private CheckpointManager checkpoint(String name) {
    return of(CheckpointManager.class, "checkpoint", name);
  }

  private Controller controller(String name) {
    return of(Controller.class, "controller", name);
  }

  private CheckpointTask task(Command c) {
    return of(CheckpointTask.class, "task", c.text(1));
  }

  private static List<String> value(Command c, State state) {
    if (c.arguments() > 2) return done(() -> state.setJson(c.text(2), c.text(3)));
    return line(state.json(c.text(2)).orElseThrow(() -> new CkptNotFoundException("no value " + c.text(2))));
  }

  private CheckpointManager checkpoint(Command c) {
    boolean readOnly = c.option("read_only", "0").equals("1");
    CheckpointManagerOptions options = new CheckpointManagerOptions().readOnly(readOnly)
        .bestMetric(BestMetric.values()[c.option("larger", "0").equals("1") ? 1 : 0]);
    c.integer("keep_last", options::keepLast);
    c.integer("keep_every", options::keepEvery);
    c.integer("keep_best", options::keepBest);
    FileSystemOptions place = new FileSystemOptions().mustExist(readOnly);
    try (Storage storage = Storage.fileSystem(Path.of(folder + "-" + c.text(2)), place)) {
      return new CheckpointManager(storage, options);
    }
  }

  private List<String> save(Command c, CheckpointManager checkpoint) {
    SaveOptions options = new SaveOptions();
    c.integer("step", options::step);
    c.given("seed", seed -> options.seed(Long.parseUnsignedLong(seed)));
    c.given("prefix", options::prefix);
    c.number("metric", options::metric);
    SaveResult n = checkpoint.save(state(c.text(2)), options);
    return line(printedName(n.name()), "step", n.step(), "files", n.files());
  }

  private List<String> load(Command c, CheckpointManager checkpoint) {
    LoadOptions options = new LoadOptions().partial(c.option("partial", "0").equals("1"));
    c.given("name", name -> options.name(fullName(checkpoint, name)));
    String[] names = c.option("rename", "").split(":", 2);
    LoadResult n = checkpoint.load(state(c.text(2)), options, names.length < 2 ? null : name -> name.equals(names[0]) ? names[1] : null);
    return line(printedName(n.name()), "step", n.step(), "seed", Long.toUnsignedString(n.seed()), "skipped", n.skipped(), "missing",
        n.missing(), "unexpected", n.unexpected());
  }

  private Tensor read(Command c) {
    try (Reader reader = checkpoint(c.text(1)).reader(null, Verify.LAZY)) {
      long index = reader.find(c.text(2), c.text(3));
      String length = c.option("length", null);
      long begin = Long.parseLong(c.option("begin", "0"));
      return length == null ? reader.read(index) : reader.readSlice(index, begin, Long.parseLong(length), null);
    }
  }

  private void damage(Command c) {
    String name = fullName(checkpoint(c.text(2)), c.text(3));
    try (RandomAccessFile file = new RandomAccessFile(folder + "-" + c.text(1) + "/" + name + "/" + c.text(4), "rw")) {
      file.seek(c.integer(5));
      int value = file.read();
      file.seek(c.integer(5));
      file.write(value ^ 1);
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }

  private CheckpointTask start(Command c, Background background) {
    State state = state(c.text(4));
    CheckpointTaskOptions how = new CheckpointTaskOptions().whenFull(WhenFull.values()[indexOf(FULL, c.option("full", "refuse"))]);
    c.integer("gate", how::gateStep);
    c.given("priority", priority -> how.priority(priority(Integer.parseInt(priority))));
    if (c.text(3).equals("load")) {
      LoadOptions options = new LoadOptions();
      c.given("name", name -> options.name(fullName(background.checkpoint, name)));
      return background.manager.load(state, options, how, null);
    }
    SaveOptions options = new SaveOptions();
    c.integer("step", options::step);
    how.mode(StagingMode.values()[indexOf(MODES, c.option("mode", "copy"))]);
    String source = c.option("source", null);
    return background.manager.save(state, options, how, null, source == null ? null : source(source));
  }

  /** Java's type has no other values, so a program cannot pass one. */
  private static Priority priority(int number) {
    for (Priority priority : Priority.values()) {
      if (priority.number() == number) return priority;
    }
    throw new CkptInvalidArgumentException("priority is " + number);
  }

  private static CheckpointTaskSource source(String how) {
    boolean throwing = indexOf(List.of("sevens", "throws"), how) == 1;
    return (group, name, address, offset, buffer) -> {
      if (throwing) throw new IllegalStateException("cannot read " + name);
      while (buffer.hasRemaining()) buffer.put((byte) 7);
    };
  }

  private static double interval(Command c) {
    return switch (c.text(1)) {
      case "young" -> Intervals.young(c.number(2), c.number(3));
      case "daly" -> Intervals.daly(c.number(2), c.number(3));
      case "expected_value" -> Intervals.expectedValue(c.number(2), c.number(3));
      case "weibull" -> Intervals.weibull(c.number(2), new WeibullLaw(c.number(3), c.number(4)), c.number(5));
      default -> throw new Misuse("unknown word " + c.text(1));
    };
  }

  private ControllerOptions controllerOptions(Command c) {
    ControllerOptions options = new ControllerOptions().policy(Policy.valueOf(c.option("policy", "auto").toUpperCase(Locale.ROOT)));
    c.number("mtbf", options::mtbfSeconds);
    c.number("interval", options::intervalSeconds);
    c.number("cost", options::initialCostSeconds);
    c.number("first", options::firstSeconds);
    c.number("poll", options::pollSeconds);
    c.number("min", options::minIntervalSeconds);
    c.number("max", options::maxIntervalSeconds);
    c.number("overhead", options::maxOverheadShare);
    c.integer("saves", options::budgetSaves);
    c.number("window", options::budgetWindowSeconds);
    c.given("clock", name -> options.clock(of(Clock.class, "clock", name)));
    return options;
  }

  private static void recordEvent(Command c, Object given) {
    if (c.text(2).equals("observe")) {
      if (given instanceof Threshold threshold) threshold.observeTask(c.text(3), c.number(4));
      if (given instanceof Controller controller) controller.observeTask(c.text(3), c.number(4));
      return;
    }
    double[] n = IntStream.rangeClosed(3, c.arguments()).mapToDouble(c::number).toArray();
    if (given instanceof Threshold threshold) {
      switch (c.text(2)) {
        case "adjust" -> threshold.adjustPolicy(n[0], n[1]);
        case "begin-run" -> threshold.beginRun();
        default -> throw new Misuse("unknown word " + c.text(2));
      }
      return;
    }
    Controller controller = (Controller) given;
    switch (c.text(2)) {
      case "begin-run" -> controller.beginRun(n[0]);
      case "resume" -> controller.resume(n[0]);
      case "begin" -> controller.begin(n[0]);
      case "commit" -> controller.commit(n[0], n[1], n[2]);
      case "abort" -> controller.abort(n[0]);
      case "failure" -> controller.recordFailure(n[0]);
      case "recovery" -> controller.recordRecovery(n[0], n[1], n[2]);
      case "clean-exit" -> controller.recordCleanExit(n[0]);
      case "preemption" -> controller.notifyPreemption(n[0], n[1]);
      default -> throw new Misuse("unknown word " + c.text(2));
    }
  }

  private static List<String> decide(Command c, Object asked) {
    if (asked instanceof Threshold threshold) return line(yesNo(threshold.shouldCheckpoint(c.text(2), c.number(3))));
    Controller controller = (Controller) asked;
    Decision n = controller.shouldCheckpoint(c.text(2).equals("now") ? controller.now() : c.number(2));
    return line(yesNo(n.checkpoint()), n.reason(), lower(n.policy()), "interval", thousandths(n.intervalSeconds()), "due",
        thousandths(n.dueSeconds()), "since", thousandths(n.sinceLastSeconds()));
  }

  @Override
  List<String> events(Object object) {
    return object instanceof Background background ? background.events.take() : super.events(object);
  }

  @Override
  String show(Object object) {
    if (object instanceof State state) return joined("tensors", state.tensorCount());
    if (object instanceof Background background) {
      AsyncManagerStats n = background.manager.stats();
      return joined("live", n.liveTasks(), "completed", n.completedTasks(), "failed", n.failedTasks(), "cancelled",
          n.cancelledTasks(), "rejected", n.rejectedTasks());
    }
    if (object instanceof CheckpointTask task) {
      CheckpointTaskInfo n = task.info();
      return joined(lower(n.kind()), lower(n.state()), "step", n.step());
    }
    if (object instanceof Threshold threshold) {
      ThresholdInfo n = threshold.info();
      return joined("threshold", thousandths(n.threshold()), "longest", thousandths(n.longestSeconds()), "used", n.used(), "of",
          n.budget(), "tasks", n.tasks());
    }
    if (object instanceof Controller controller) {
      ControllerInfo n = controller.info();
      return joined("running", yesNo(n.running()), "in_flight", yesNo(n.saveInFlight()), "failures", n.failures(), "saves",
          n.saves(), "cost",
          thousandths(n.costSeconds()), "last", thousandths(n.lastSeenSeconds()), "mtbf", thousandths(n.mtbfSeconds()), "tasks",
              n.tasks());
    }
    return super.show(object);
  }
}
