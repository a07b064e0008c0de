import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.ckpt.*;

/** Checkpoints of several ranks, which are threads of this process, each with its own manager of one directory. */
final class TestRanks {
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final int ROWS = 8;
  private static final int COLUMNS = 6;
  private static final float[] WHOLE = new float[ROWS * COLUMNS];
  private static final double[] BIAS = new double[1000];

  static {
    for (int i = 0; i < WHOLE.length; ++i) WHOLE[i] = i * 0.5f - 3;
    for (int i = 0; i < BIAS.length; ++i) BIAS[i] = 1.0 / (i + 1);
  }

  private interface Work<O, T> {
    T run(int rank, O object) throws Exception;
  }

  /** Returns the result of each rank. */
  private static <T> List<T> onRanks(int ranks, Work<Coordinator, T> work) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(ranks);
    try {
      TestCoordinators.RankGroup rankGroup = new TestCoordinators.RankGroup(ranks);
      List<Callable<T>> bodies = new ArrayList<>();
      for (int number = 0; number < ranks; ++number) {
        int rank = number;
        bodies.add(() -> {
          try (Coordinator coordinator = Coordinator.custom(rank, ranks, new TestCoordinators.GatheringRank(rankGroup, rank))) {
            return work.run(rank, coordinator);
          }
        });
      }
      List<T> returned = new ArrayList<>();
      for (Future<T> end : threads.invokeAll(bodies)) returned.add(end.get());
      return returned;
    } finally {
      threads.shutdownNow();
    }
  }

  /** Returns the result of each rank. If a rank fails, the others fail by the timeout of their managers. */
  private static <T> List<T> onRanks(Path root, int ranks, CheckpointManagerOptions options, Work<CheckpointManager, T> work)
      throws Exception {
    return onRanks(ranks, (rank, coordinator) -> {
      CheckpointManagerOptions own = new CheckpointManagerOptions().timeout(options.timeout()).keepLast(options.keepLast());
      try (CheckpointManager manager = CheckpointManager.open(root, own.coordinator(coordinator))) {
        return work.run(rank, manager);
      }
    });
  }

  private static <T> List<T> onRanks(Path root, int ranks, Work<CheckpointManager, T> work) throws Exception {
    return onRanks(root, ranks, new CheckpointManagerOptions().timeout(MINUTE), work);
  }

  private static Path root() throws Exception {
    return Files.createTempDirectory("ckpt-test").resolve("run");
  }

  private static float[] columns(int begin, int end) {
    float[] some = new float[ROWS * (end - begin)];
    for (int i = 0; i < some.length; ++i) some[i] = WHOLE[i / (end - begin) * COLUMNS + begin + i % (end - begin)];
    return some;
  }

  private static int row(int rank, int ranks) {
    return rank * ROWS / ranks;
  }

  /** w by rows, in two blocks on the last rank; v by columns, all on rank 0; b on each. */
  private static SaveResult save(int rank, int ranks, CheckpointManager manager, SaveOptions options) {
    int end = row(rank + 1, ranks);
    try (State state = new State(); Tensor bias = Tensor.copyOf(BIAS)) {
      state.add("model", "b", bias).addShardedTensor("model", "w", DType.F32, ROWS, COLUMNS)
          .addShardedTensor("model", "v", DType.F32, ROWS, COLUMNS);
      for (int begin = row(rank, ranks); begin < end;) {
        int rows = rank == ranks - 1 ? Math.min(2, end - begin) : end - begin;
        try (Tensor block = Tensor.copyOf(Arrays.copyOfRange(WHOLE, begin * COLUMNS, (begin + rows) * COLUMNS), rows, COLUMNS)) {
          state.addBlock("model", "w", new long[] {begin, 0}, block);
        }
        begin += rows;
      }
      for (int begin = 0; begin < COLUMNS && rank == 0; begin += 3) {
        try (Tensor block = Tensor.copyOf(columns(begin, begin + 3), ROWS, 3)) {
          state.addBlock("model", "v", new long[] {0, begin}, block);
        }
      }
      Check.equal(3L, state.tensorCount());
      state.setJson("epoch", "2").setJson("generator", "{\"seed\":" + rank + "}");
      return manager.save(state, options);
    }
  }

  static void testSaveOfTwo() throws Exception {
    Path root = root();
    List<SaveResult> results = onRanks(root, 2, (rank, manager) -> save(rank, 2, manager, new SaveOptions().step(3)));
    Check.equal(results.get(0).name(), results.get(1).name());
    Check.equal(results.get(0).bytes(), results.get(0).rankBytes() + results.get(1).rankBytes());
    long written = 2L * WHOLE.length * Float.BYTES + BIAS.length * Double.BYTES; // the bias is written once
    Check.that(written < results.get(1).bytes() && results.get(1).bytes() < written + 2000, "bytes: " + results);
    Check.that(results.get(1).rankBytes() > WHOLE.length * Float.BYTES / 2, "rows: " + results);
    try (CheckpointManager manager = CheckpointManager.open(root, new CheckpointManagerOptions().readOnly(true))) {
      CheckpointInfo info = manager.latest().orElseThrow();
      Check.equal(2L, info.worldSize());
      for (int rank = 0; rank < 2; ++rank) {
        Check.equal("{\"epoch\":2,\"generator\":{\"seed\":" + rank + "}}", manager.rankValues(info.name(), rank));
      }
      Check.raises(CkptOutOfRangeException.class, "rank is 2", () -> manager.rankValues(info.name(), 2));
      Check.raises(CkptInvalidArgumentException.class, "rank is -1", () -> manager.rankValues(info.name(), -1));
      Check.raises(CkptNotFoundException.class, "none", () -> manager.rankValues("none", 0));
    }
  }

  static void testSaveInTheBackground() throws Exception {
    Path root = root();
    List<SaveResult> results = onRanks(root, 2, (rank, manager) -> {
      try (AsyncManager background = new AsyncManager(manager); State state = new State();
          Tensor block = Tensor.copyOf(Arrays.copyOfRange(WHOLE, rank * 24, rank * 24 + 24), 4, COLUMNS)) {
        state.addShardedTensor("model", "w", DType.F32, ROWS, COLUMNS).addBlock("model", "w", new long[] {4 * rank, 0}, block);
        CheckpointTask task = background.save(state, 5);
        task.join();
        return task.saved();
      }
    });
    Check.equal(results.get(0).name(), results.get(1).name());
    Check.equal(results.get(0).bytes(), results.get(0).rankBytes() + results.get(1).rankBytes());
    try (CheckpointManager manager = CheckpointManager.open(root, new CheckpointManagerOptions().readOnly(true))) {
      Check.equal(2L, manager.findStep(5).orElseThrow().worldSize());
    }
  }

  static void testOneRankSavesTheUsualFormat() throws Exception {
    Path root = root();
    try (CheckpointManager manager = CheckpointManager.open(root); State state = new State();
        Tensor whole = new Tensor(DType.F32, ROWS, COLUMNS); Tensor bias = new Tensor(DType.F64, BIAS.length)) {
      SaveResult saved = save(0, 1, manager, new SaveOptions().step(4));
      Check.equal(saved.bytes(), saved.rankBytes());
      try (Tensor other = new Tensor(DType.F32, ROWS, COLUMNS)) {
        state.add("model", "w", whole).add("model", "v", other).add("model", "b", bias);
        Check.equal(1L, manager.load(state).worldSize());
        Check.equal(WHOLE, whole.toArray());
        Check.equal(WHOLE, other.toArray());
        Check.equal(BIAS, bias.toArray());
      }
      Check.equal("{\"epoch\":2,\"generator\":{\"seed\":0}}", manager.rankValues(saved.name(), 0));
    }
  }

  /** The contents that a rank loads: its columns of w, a row of v, all of b; the values. */
  private static Optional<String> load(int rank, int ranks, int saved, CheckpointManager manager) {
    int begin = rank * COLUMNS / ranks;
    int end = (rank + 1) * COLUMNS / ranks;
    try (State state = new State(); Tensor some = new Tensor(DType.F32, ROWS, end - begin);
        Tensor row = new Tensor(DType.F32, 1, COLUMNS); Tensor bias = new Tensor(DType.F64, BIAS.length)) {
      state.add("model", "b", bias).addShardedTensor("model", "w", DType.F32, ROWS, COLUMNS)
          .addBlock("model", "w", new long[] {0, begin}, some).addShardedTensor("model", "v", DType.F32, ROWS, COLUMNS)
          .addBlock("model", "v", new long[] {rank, 0}, row);
      LoadResult loaded = manager.load(state);
      Check.equal((long) saved, loaded.worldSize());
      Check.equal(3L, loaded.step());
      Check.equal(columns(begin, end), some.toArray());
      Check.equal(Arrays.copyOfRange(WHOLE, rank * COLUMNS, (rank + 1) * COLUMNS), row.toArray());
      Check.equal(BIAS, bias.toArray());
      Check.equal(Optional.of("2"), state.json("epoch"));
      Check.equal(saved != ranks, state.loadReport().contains("\"by_rank\":[\"generator\"]"));
      return state.json("generator");
    }
  }

  private static void testLoad(int saved, int ranks) throws Exception {
    Path root = root();
    onRanks(root, saved, (rank, manager) -> save(rank, saved, manager, new SaveOptions().step(3)));
    List<Optional<String>> expected = IntStream.range(0, ranks)
        .mapToObj(rank -> saved == ranks ? Optional.of("{\"seed\":" + rank + "}") : Optional.<String>empty()).toList();
    Check.equal(expected, onRanks(root, ranks, (rank, manager) -> load(rank, ranks, saved, manager)));
  }

  static void testLoadOnTheSameNumberOfRanks() throws Exception {
    testLoad(2, 2);
  }

  static void testLoadOnMoreAndFewerRanks() throws Exception {
    testLoad(2, 3);
    testLoad(3, 1);
  }

  static void testOneProcessReadsAllRanks() throws Exception {
    Path root = root();
    onRanks(root, 2, (rank, manager) -> save(rank, 2, manager, new SaveOptions()));
    try (CheckpointManager manager = CheckpointManager.open(root, new CheckpointManagerOptions().readOnly(true));
        Reader reader = manager.reader(null, Verify.FULL)) {
      for (String name : List.of("w", "v")) {
        try (Tensor whole = reader.read(reader.find("model", name))) {
          Check.equal(WHOLE, whole.toArray());
        }
      }
      Check.equal(3L, manager.verify(null).tensors());
    }
  }

  // ---- Mistakes ----

  static void testInvalidBlocks() {
    try (State state = new State(); Tensor block = new Tensor(DType.F32, 2, 3); Tensor doubles = new Tensor(DType.F64, 2, 3)) {
      state.addShardedTensor("model", "w", DType.F32, 4, 3);
      Check.raises(CkptOutOfRangeException.class, "offsets[0] is 3 for a block of 2; 'w' has 4",
          () -> state.addBlock("model", "w", new long[] {3, 0}, block));
      Check.raises(CkptOutOfRangeException.class, "offsets[1] is -1", () -> state.addBlock("model", "w", new long[] {0, -1}, block));
      Check.raises(CkptInvalidArgumentException.class, "ndim is 1", () -> state.addBlock("model", "w", new long[] {0}, block));
      Check.raises(CkptInvalidArgumentException.class, "tensor is F64; 'w' is F32",
          () -> state.addBlock("model", "w", new long[] {0, 0}, doubles));
      Check.raises(CkptNotFoundException.class, "no sharded tensor 'v'", () -> state.addBlock("model", "v", new long[2], block));
      Check.raises(CkptAlreadyExistsException.class, "'w'", () -> state.addShardedTensor("model", "w", DType.F32, 4, 3));
      Check.raises(CkptInvalidArgumentException.class, "-1", () -> state.addShardedTensor("model", "x", DType.F32, 4, -1));
      state.addBlock("model", "w", new long[] {2, 0}, block);
      Check.equal(1L, state.tensorCount());
      try (Storage storage = Storage.memory(); CheckpointManager manager = new CheckpointManager(storage)) {
        Check.raises(CkptInvalidArgumentException.class, "[0:2, 0:3] is in no block", () -> manager.save(state, 1));
      }
    }
  }

  private static String refusal(CheckpointManager manager, State state, SaveOptions options) {
    return Check.raises(CkptInvalidArgumentException.class, "", () -> manager.save(state, options)).getMessage();
  }

  static void testRanksThatDiffer() throws Exception {
    Path root = root();
    List<List<String>> texts = onRanks(root, 2, (rank, manager) -> {
      try (State shapes = new State(); State lengths = new State(); State replicas = new State();
          Tensor bias = new Tensor(DType.F64, 5 + rank); Tensor same = Tensor.copyOf(new double[] {rank, 1})) {
        shapes.addShardedTensor("model", "w", DType.F32, 4 + rank, 3);
        lengths.add("model", "b", bias);
        replicas.add("model", "c", same);
        manager.save(replicas, 1);
        return List.of(refusal(manager, shapes, new SaveOptions().step(2)), refusal(manager, lengths, new SaveOptions().step(2)),
            refusal(manager, replicas, new SaveOptions().step(2).checkReplicas(true)));
      }
    });
    Check.equal(texts.get(0), texts.get(1));
    for (int i = 0; i < 3; ++i) {
      String text = texts.get(0).get(i);
      Check.that(text.matches(".*tensor ['\"]" + "wbc".charAt(i) + "['\"].*"), text);
      Check.that(text.contains("rank 1"), text);
    }
    try (CheckpointManager manager = CheckpointManager.open(root, new CheckpointManagerOptions().readOnly(true))) {
      Check.equal(List.of(1L), manager.list().stream().map(CheckpointInfo::step).toList());
    }
  }

  static void testAMissingRank() throws Exception {
    CheckpointManagerOptions options = new CheckpointManagerOptions().timeout(Duration.ofSeconds(1));
    onRanks(root(), 2, options, (rank, manager) -> {
      try (State state = new State(); Tensor bias = Tensor.copyOf(BIAS)) {
        state.add("model", "b", bias);
        if (rank == 0) Check.raises(CkptTimeoutException.class, "", () -> manager.save(state, 1));
      }
      return null;
    });
    Check.raises(CkptInvalidArgumentException.class, "timeout PT-0.000000001S", () ->
        CheckpointManager.open(root(), new CheckpointManagerOptions().timeout(Duration.ofNanos(-1))));
  }

  // ---- Arguments that one rank cannot convert: the others would wait for it until their timeout ----

  /** One call on all ranks. isWrong: with an argument that cannot be converted. */
  private interface Attempt<T> {
    void make(T with, boolean isWrong) throws Exception;
  }

  private static Throwable thrownBy(Check.Body body) {
    return Check.raises(Throwable.class, "", body);
  }

  /** Checks the exceptions of both ranks, of each attempt. */
  private static void checkRefusals(Map<String, List<Throwable>> thrown) {
    List<String> unexpected = new ArrayList<>();
    thrown.forEach((name, ranks) -> {
      boolean isRefused = ranks.get(0) instanceof CkptInvalidArgumentException && ranks.get(0).getMessage().contains("rank 1");
      boolean isOwn = !String.valueOf(ranks.get(1).getMessage()).contains("rank");
      if (!isRefused || !isOwn) unexpected.add(name + ": " + ranks);
    });
    Check.equal(List.of(), unexpected);
  }

  private static CheckpointTaskOptions waiting(boolean isWrong) {
    return new CheckpointTaskOptions().timeout(isWrong ? Duration.ofNanos(-1) : MINUTE);
  }

  private static State closed() {
    State state = new State();
    state.close();
    return state;
  }

  /** The arguments of one rank. */
  private record Given(CheckpointManager manager, AsyncManager tasks, State state) {}

  private static Map<String, Attempt<Given>> wrongCalls() {
    SaveOptions save = new SaveOptions().step(2);
    LoadOptions load = new LoadOptions();
    String surrogate = "\"\ud800\"";
    Map<String, Attempt<Given>> calls = new LinkedHashMap<>();
    calls.put("save, string", (with, isWrong) ->
        with.manager.save(with.state, new SaveOptions().step(2).metadataJson(isWrong ? surrogate : "1")));
    calls.put("save, no options", (with, isWrong) -> with.manager.save(with.state, isWrong ? null : save));
    calls.put("save, closed state", (with, isWrong) -> with.manager.save(isWrong ? closed() : with.state, save));
    calls.put("load, string", (with, isWrong) ->
        with.manager.load(with.state, new LoadOptions().environmentJson(isWrong ? surrogate : "1")));
    calls.put("load, no options", (with, isWrong) -> with.manager.load(with.state, isWrong ? null : load));
    calls.put("load, closed state", (with, isWrong) -> with.manager.load(isWrong ? closed() : with.state));
    calls.put("background save, timeout", (with, isWrong) -> with.tasks.save(with.state, save, waiting(isWrong)));
    calls.put("background save, no options", (with, isWrong) ->
        with.tasks.save(with.state, isWrong ? null : save, waiting(false)));
    calls.put("background save, closed state", (with, isWrong) -> with.tasks.save(isWrong ? closed() : with.state, 2));
    calls.put("background load, timeout", (with, isWrong) -> with.tasks.load(with.state, load, waiting(isWrong), null));
    calls.put("background load, no options", (with, isWrong) ->
        with.tasks.load(with.state, isWrong ? null : load, waiting(false), null));
    calls.put("background load, closed state", (with, isWrong) -> with.tasks.load(isWrong ? closed() : with.state));
    calls.put("controller, timeout", (with, isWrong) -> {
      try (Controller controller = new Controller()) {
        controller.beginRun(0);
        controller.saveAsync(with.tasks, 1, with.state, save, waiting(isWrong), null, null);
      }
    });
    calls.put("controller, closed", (with, isWrong) -> {
      try (Controller controller = new Controller()) {
        controller.beginRun(0);
        if (isWrong) controller.close();
        controller.saveAsync(with.tasks, 1, with.state, save, waiting(false), null, null);
      }
    });
    return calls;
  }

  static void testAnArgumentThatOneRankCannotConvertFailsOnAllAtOnce() throws Exception {
    Map<String, List<Throwable>> thrown = new LinkedHashMap<>();
    for (Map.Entry<String, Attempt<Given>> call : wrongCalls().entrySet()) {
      thrown.put(call.getKey(), onRanks(root(), 2, (rank, manager) -> {
        try (AsyncManager tasks = new AsyncManager(manager); State state = new State(); Tensor bias = Tensor.copyOf(BIAS)) {
          state.add("model", "b", bias);
          manager.save(state, 1);
          Given given = new Given(manager, tasks, state);
          Throwable error = thrownBy(() -> call.getValue().make(given, rank == 1));
          manager.save(state, 3); // the managers remain usable
          tasks.save(state, 4).join();
          tasks.load(state).join();
          Check.equal(List.of(4L, 3L, 1L), manager.list().stream().map(CheckpointInfo::step).toList());
          return error;
        }
      }));
    }
    checkRefusals(thrown);
  }

  private static Map<String, Attempt<CheckpointManagerOptions>> wrongManagers(Path root) throws Exception {
    Storage closed = Storage.fileSystem(root);
    closed.close();
    Map<String, Attempt<CheckpointManagerOptions>> makes = new LinkedHashMap<>();
    makes.put("timeout", (with, isWrong) ->
        CheckpointManager.open(root, with.timeout(isWrong ? Duration.ofNanos(-1) : MINUTE)).close());
    makes.put("string", (with, isWrong) -> CheckpointManager.open(root, with.keepRules(isWrong ? "\ud800" : null)).close());
    makes.put("enum", (with, isWrong) ->
        CheckpointManager.open(root, with.bestMetric(isWrong ? null : BestMetric.LARGEST)).close());
    makes.put("closed storage", (with, isWrong) -> {
      try (Storage storage = Storage.fileSystem(root)) {
        new CheckpointManager(isWrong ? closed : storage, with).close();
      }
    });
    makes.put("directory", (with, isWrong) -> CheckpointManager.open(isWrong ? null : root, with).close());
    makes.put("URI", (with, isWrong) -> CheckpointManager.open(isWrong ? "unknown://" : root.toUri().toString(), with).close());
    return makes;
  }

  static void testARankThatCannotMakeItsManagerFailsAllAtOnce() throws Exception {
    Path root = root();
    Map<String, List<Throwable>> thrown = new LinkedHashMap<>();
    for (Map.Entry<String, Attempt<CheckpointManagerOptions>> make : wrongManagers(root).entrySet()) {
      thrown.put(make.getKey(), onRanks(2, (rank, coordinator) -> {
        CheckpointManagerOptions options = new CheckpointManagerOptions().timeout(MINUTE).coordinator(coordinator);
        Throwable error = thrownBy(() -> make.getValue().make(options, rank == 1));
        CheckpointManager.open(root, new CheckpointManagerOptions().timeout(MINUTE).coordinator(coordinator)).close();
        return error;
      }));
    }
    checkRefusals(thrown);
  }

  static void testOnlyRank0ChangesTheStorage() throws Exception {
    List<List<Long>> steps = onRanks(root(), 2, new CheckpointManagerOptions().timeout(MINUTE).keepLast(1), (rank, manager) -> {
      for (long step = 1; step <= 2; ++step) save(rank, 2, manager, new SaveOptions().step(step));
      if (rank == 1) Check.raises(CkptInvalidStateException.class, "rank", () -> manager.pin(2));
      try (Coordinator coordinator = manager.coordinator()) {
        coordinator.barrier(MINUTE); // rank 0 has removed old checkpoints
      }
      return manager.list().stream().map(CheckpointInfo::step).toList();
    });
    Check.equal(List.of(List.of(2L), List.of(2L)), steps);
  }

  public static void main(String[] arguments) {
    Check.run(TestRanks.class);
  }
}
