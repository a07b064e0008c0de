import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.concurrent.CompletionException;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.function.BiConsumer;
import org.ckpt.*;

/** Durable checkpoints: save, load, list, verify, read; stateful objects; coordinators. */
final class TestState {
  static void testSaveAndLoad() throws Exception {
    Path root = Files.createTempDirectory("ckpt-test");
    try (Tensor weight = Tensor.copyOf(new float[] {1, 2, 3, 4}, 2, 2); Tensor moments = Tensor.copyOf(new double[] {5});
        State state = new State();
        CheckpointManager checkpoint = CheckpointManager.open(root,
            new CheckpointManagerOptions().keepLast(2).keepBest(1).bestMetric(BestMetric.LARGEST))) {
      state.add("model", "weight", weight).add("optimizer", "m", moments).setRarelyChanges("optimizer", true);
      state.setJson(State.DATA_POSITION, "{ \"byte\": 4096 }").setJson("note", "\"Gr\u00F6\u00DFe \uD83D\uDE00\"");
      Check.equal(2L, state.tensorCount());
      Check.equal(Optional.empty(), checkpoint.loadIfAny(state));
      Check.raises(CkptNotFoundException.class, "", () -> checkpoint.load(state));
      SaveResult first = checkpoint.save(state,
          new SaveOptions().step(1).seed(9).metric(0.9).prefix("java")
              .metadataJson("{\"who\":\"me\"}").environmentJson("{\"a\":1}"));
      Check.equal(1L, first.step());
      Check.equal(2L, first.files());
      Check.that(first.name().startsWith("java"), first.name());
      weight.fill(7);
      SaveResult second = checkpoint.save(state, new SaveOptions().step(2).metric(0.5));
      Check.equal(1L, second.linked());
      weight.fill(0);
      state.setJson(State.DATA_POSITION, "null");
      LoadResult loaded = checkpoint.load(state);
      Check.equal(2L, loaded.step());
      Check.equal(28.0, weight.sum());
      Check.equal(Optional.of("{\"byte\":4096}"), state.json(State.DATA_POSITION));
      Check.equal(Optional.of("\"Gr\u00F6\u00DFe \uD83D\uDE00\""), state.json("note"));
      Check.equal(Optional.empty(), state.json("none"));
      Check.equal(true, state.keys().contains("note") && !state.keys().contains("none"));
      loaded = checkpoint.load(state, new LoadOptions().name(first.name())
          .inPlace(true).environmentJson("{\"a\":2}").verify(Verify.NONE));
      Check.equal(9L, loaded.seed());
      Check.that(loaded.environmentDiffers(), "environment");
      Check.equal(10.0, weight.sum());
      List<CheckpointInfo> list = checkpoint.list();
      Check.equal(2, list.size());
      Check.equal(Status.OK, list.get(0).status());
      Check.equal(OptionalDouble.of(0.9), list.get(1).metric());
      Check.that(checkpoint.manifest(first.name()).contains("\"who\""), "manifest");
      VerifyResult verified = checkpoint.verify(null);
      Check.equal(2L, verified.tensors());
      Check.raises(CkptBusyException.class, "" + ProcessHandle.current().pid(), () -> CheckpointManager.open(root));
    }
    corrupted(root);
    TestStorage.delete(root);
  }

  /** The newest checkpoint is damaged: a load falls back, and a load by name reports the damage. */
  private static void corrupted(Path root) throws Exception {
    try (CheckpointManager checkpoint = CheckpointManager.open(root, new CheckpointManagerOptions().readOnly(true));
        Tensor weight = new Tensor(DType.F32, 2, 2);
        Tensor moments = new Tensor(DType.F64, 1); State state = new State()) {
      state.add("model", "weight", weight).add("optimizer", "m", moments);
      String newest = checkpoint.list().get(0).name();
      Path file = root.resolve(newest).resolve("model.safetensors");
      byte[] bytes = Files.readAllBytes(file);
      bytes[bytes.length - 1] ^= 1;
      Files.write(file, bytes);
      CkptCorruptException error = Check.raises(CkptCorruptException.class, "weight", () -> checkpoint.verify(newest));
      Check.equal(Status.CORRUPT, error.status());
      LoadResult loaded = checkpoint.load(state);
      Check.equal(1L, loaded.skipped());
      Check.equal(1L, loaded.step());
      Check.raises(CkptInvalidStateException.class, "read", () -> checkpoint.save(state, 5));
      try (Tensor other = new Tensor(DType.F32, 3); State wrong = new State().add("model", "other", other)) {
        Check.raises(CkptInvalidArgumentException.class, "", () -> checkpoint.load(wrong));
        loaded = checkpoint.load(wrong, new LoadOptions().partial(true));
        Check.equal(1L, loaded.missing());
        Check.that(wrong.loadReport().contains("\"name\":\"other\""), wrong.loadReport());
      }
      try (Tensor wide = new Tensor(DType.F64, 2, 2); State renamed = new State().add("model", "net.weight", wide)) {
        LoadOptions options = new LoadOptions().stripPrefix("wei").addPrefix("net.wei").partial(true);
        Check.raises(CkptInvalidArgumentException.class, "F32", () -> checkpoint.load(renamed, options));
        loaded = checkpoint.load(renamed, options.convert(Conversion.LOSSLESS));
        Check.equal(0L, loaded.missing());
        Check.equal(false, loaded.partlyFilled());
      }
    }
  }

  static void testProgressOfLongCalls() {
    long[] received = new long[3]; // calls, done, total
    try (Storage storage = Storage.memory(); CheckpointManager manager = new CheckpointManager(storage); State state = new State();
        Tensor w = new Tensor(DType.U8, 9 << 20)) {
      state.add("model", "w", w);
      BiConsumer<Long, Long> listener = (done, total) -> {
        Check.that(received[0] > 0 || done == 0, "the first call");
        Check.that(done >= received[1] && done <= total, "progress");
        received[0]++;
        received[1] = done;
        received[2] = total;
      };
      Ckpt.setProgress(listener);
      try {
        manager.save(state, new SaveOptions().step(1));
        Check.that(received[0] > 2 && received[1] == 9 << 20 && received[2] == 9 << 20, "save");
        Arrays.fill(received, 0);
        manager.verify(null);
        Check.that(received[0] > 2 && received[1] == received[2] && received[1] > 9 << 20, "verify");
        Ckpt.setProgress((done, total) -> {
          throw new IllegalStateException("enough of it");
        });
        Check.raises(CkptCallbackException.class, "enough of it", () -> manager.load(state));
      } finally {
        Ckpt.setProgress(null);
      }
      manager.load(state);
    }
  }

  static void testReaders() throws Exception {
    Path root = Files.createTempDirectory("ckpt-test");
    try (Tensor rows = Tensor.copyOf(new float[] {1, 2, 3, 4, 5, 6}, 3, 2); State state = new State().add("g", "rows", rows)) {
      state.writeSafetensors(root.resolve("plain.safetensors"), "g", "{\"by\":\"java\"}");
      try (Reader reader = new Reader(root.resolve("plain.safetensors"))) {
        Check.equal(1L, reader.tensorCount());
        Check.equal(new TensorSpec(DType.F32, 3, 2), reader.tensors().get(0).spec());
        Check.equal("rows", reader.tensor(0).name());
        Check.equal(Map.of("by", "java"), reader.metadata());
        try (Tensor read = reader.read("rows"); Tensor into = new Tensor(DType.F32, 3, 2); BufferPool pool = new BufferPool();
            Tensor slice = reader.readSlice(0, 1, 1, pool); Tensor mapped = reader.map(0)) {
          Check.that(read.isBitEqual(rows), "read");
          reader.read(0, into);
          Check.that(into.isBitEqual(rows), "into");
          Check.equal(7.0, slice.sum());
          Check.that(mapped.isReadOnly() && mapped.isBitEqual(rows), "mapped");
          reader.close();
          Check.equal(6f, mapped.floatBuffer().get(5));
        }
        Check.raises(CkptInvalidStateException.class, "closed", reader::tensorCount);
      }
      try (Storage storage = Storage.memory(); CheckpointManager checkpoint = new CheckpointManager(storage)) {
        checkpoint.save(state, 1);
        try (Reader reader = checkpoint.reader(null, Verify.LAZY)) {
          Check.equal(0L, reader.find("g", "rows"));
          Check.equal("g", reader.tensor(0).group());
          Check.raises(CkptNotFoundException.class, "nothing", () -> reader.read("nothing"));
          Check.raises(CkptUnsupportedException.class, "", () -> reader.map(0));
        }
      }
    }
    Check.raises(CkptNotFoundException.class, "", () -> new Reader(root.resolve("none")));
    TestStorage.delete(root);
  }

  static void testLoadWithARenameFunction() {
    List<String> asked = new ArrayList<>();
    try (Tensor a = Tensor.copyOf(new float[] {1}); Tensor b = Tensor.copyOf(new float[] {2}); State saved = new State();
        State state = new State(); CheckpointManager checkpoint = new CheckpointManager(Storage.memory());
        AsyncManager manager = new AsyncManager(checkpoint)) {
      saved.add("model", "encoder.a", a).add("model", "b", b);
      checkpoint.save(saved, 1);
      state.add("model", "a", a).add("model", "b", b);
      a.fill(0);
      checkpoint.load(state, new LoadOptions(), name -> {
            asked.add(name);
            return name.replace("encoder.", "");
          });
      Check.equal(List.of("b", "encoder.a"), asked);
      Check.equal(1.0, a.sum());
      checkpoint.load(state, new LoadOptions(), Map.of("encoder.a", "b", "b", "a")::get);
      Check.equal(List.of(2.0, 1.0), List.of(a.sum(), b.sum()));
      a.fill(0);
      manager.load(state, new LoadOptions(), new CheckpointTaskOptions(), null, Map.of("encoder.a", "a")::get).join(); // null: the same
      Check.equal(List.of(1.0, 2.0), List.of(a.sum(), b.sum()));
      a.fill(7);
      UnaryOperator<String> failing = name -> {
        throw new IllegalStateException("no idea of " + name);
      };
      UnaryOperator<String> within = name -> checkpoint.latest().toString();
      for (Map.Entry<UnaryOperator<String>, String> bad : Map.<UnaryOperator<String>, String>of(
          name -> "a", "'b' and 'encoder.a'", name -> "", "is blank", name -> "c" + name, "is not in the checkpoint",
          failing, "tensor 'b' of group 'model'", within, "in use").entrySet()) {
        Check.raises(CkptException.class, bad.getValue(), () -> checkpoint.load(state, new LoadOptions(), bad.getKey()));
        Check.raises(CompletionException.class, bad.getValue(),
            () -> manager.load(state, new LoadOptions(), new CheckpointTaskOptions(), null, bad.getKey()).join());
      }
      CkptCallbackException thrown = Check.raises(
          CkptCallbackException.class, "no idea of b", () -> checkpoint.load(state, new LoadOptions(), failing));
      Check.that(thrown.getCause() instanceof IllegalStateException, "the cause is " + thrown.getCause());
      Check.equal(7.0, a.sum());
    }
  }

  static void testALoadReplacesTheValuesOfATree() {
    try (Tensor theirs = Tensor.copyOf(new float[] {1, 2}); Tensor mine = Tensor.copyOf(new float[] {0, 0}); State saved = new State();
        State state = new State(); CheckpointManager checkpoint = new CheckpointManager(Storage.memory())) {
      saved.set("extra", Map.of("losses", List.of(0.5, 0.25), "epoch", 12345, "w", theirs));
      checkpoint.save(saved, 1);
      state.set("extra", Map.of("losses", List.of(), "epoch", 0, "w", mine));
      checkpoint.load(state);
      Map<?, ?> loaded = state.get("extra", Map.class);
      Check.equal(List.of(0.5, 0.25), loaded.get("losses"));
      Check.equal(12345L, loaded.get("epoch"));
      Check.equal(3.0, mine.sum());
      state.set("extra", Map.of("epoch", 7));
      Check.raises(CkptInvalidArgumentException.class, "tensor 'w' of group 'extra'", () -> checkpoint.load(state));
      Check.equal(7L, state.get("extra", Map.class).get("epoch"));
    }
  }

  static void testAKeepFunctionExtendsRetention() {
    List<Long> asked = new ArrayList<>();
    try (Storage storage = Storage.memory(); Tensor a = Tensor.copyOf(new float[] {1}); State state = new State()) {
      state.add("model", "a", a);
      CheckpointManagerOptions options = new CheckpointManagerOptions().keepRules("last:1");
      try (CheckpointManager manager = new CheckpointManager(storage, options, info -> {
                asked.add(info.step());
                return info.metric().orElse(0) == 0.5;
              })) {
        for (int step = 1; step <= 4; ++step) manager.save(state, new SaveOptions().step(step).metric(step == 2 ? 0.5 : 0.25));
        Check.equal(List.of(4L, 2L), manager.list().stream().map(CheckpointInfo::step).toList());
        Check.equal(List.of(1L, 2L, 3L), asked.stream().distinct().sorted().toList());
      }
      Predicate<CheckpointInfo> failing = info -> {
        throw new IllegalStateException("no idea");
      };
      try (CheckpointManager manager = new CheckpointManager(storage, options, failing)) {
        manager.save(state, 5);
        Check.raises(CkptCallbackException.class, "no idea", () -> manager.prune(null, false));
        Check.equal(List.of(5L, 4L, 2L), manager.list().stream().map(CheckpointInfo::step).toList());
      }
    }
  }

  private static final class Model implements Stateful {
    final Tensor weight = Tensor.copyOf(new float[] {1});
    String learned = "\"much\"";
    State kept;
    boolean failing;

    @Override
    public void list(State into) {
      if (failing) throw new IllegalStateException("nothing to list");
      into.add("w", "weight", weight).setJson("learned", learned);
      kept = into;
    }

    @Override
    public void restore(State loaded) {
      learned = loaded.json("learned").orElseThrow();
    }
  }

  static void testStatefulObjects() {
    Model model = new Model();
    try (Storage storage = Storage.memory(); CheckpointManager checkpoint = new CheckpointManager(storage);
        State state = new State().add("net", model)) {
      checkpoint.save(state, 1);
      model.weight.fill(9);
      model.learned = "null";
      checkpoint.load(state);
      Check.equal(1.0, model.weight.sum());
      Check.equal("\"much\"", model.learned);
      Check.raises(CkptInvalidStateException.class, "the State is closed", () -> model.kept.tensorCount());
      model.failing = true;
      CkptCallbackException failure = Check.raises(CkptCallbackException.class, "nothing to list", () -> checkpoint.save(state, 2));
      Check.that(failure.getCause() instanceof IllegalStateException, "cause");
      Check.raises(CkptAlreadyExistsException.class, "net", () -> state.add("net", model));
    }
  }

  static void testCoordinators() {
    Duration second = Duration.ofSeconds(1);
    try (Coordinator single = new Coordinator()) {
      Check.equal(0L, single.rank());
      single.barrier(second);
      ByteBuffer sent = ByteBuffer.allocateDirect(2).put(new byte[] {5, 6}).flip();
      Check.equal((byte) 6, single.allGather(sent, second).get(1));
      single.broadcast(sent, 0, second);
      Check.raises(CkptInvalidArgumentException.class, "heap", () -> single.allGather(ByteBuffer.allocate(2), second));
      Check.raises(CkptInvalidArgumentException.class, "read-only", () -> single.broadcast(sent.asReadOnlyBuffer(), 0, second));
    }
    CustomCoordinator two = new CustomCoordinator() {
      @Override
      public void barrier(Duration timeout) {
        throw new CkptTimeoutException("rank 0 did not come within " + timeout);
      }

      @Override
      public void broadcast(ByteBuffer data, long root, Duration timeout) {
        data.put(0, (byte) (10 + root));
      }

      @Override
      public void allGather(ByteBuffer sent, ByteBuffer received, Duration timeout) {
        received.put(sent.duplicate()).put(sent);
      }
    };
    try (Coordinator coordinator = Coordinator.custom(1, 2, two)) {
      Check.equal(1L, coordinator.rank());
      Check.equal(2L, coordinator.worldSize());
      Check.raises(CkptTimeoutException.class, "rank 0 did not come within", () -> coordinator.barrier(second));
      ByteBuffer data = ByteBuffer.allocateDirect(1);
      coordinator.broadcast(data, 0, second);
      Check.equal((byte) 10, data.get(0));
      Check.equal(2, coordinator.allGather(data, second).capacity());
    }
  }

  static void testOneOfManyCheckpoints() {
    try (Storage storage = Storage.memory(); Tensor weight = new Tensor(DType.F32, 4);
        State state = new State().add("model", "weight", weight);
        CheckpointManager checkpoints = new CheckpointManager(storage,
            new CheckpointManagerOptions().bestMetric(BestMetric.LARGEST))) {
      Check.equal(Optional.empty(), checkpoints.latest());
      Check.equal(Optional.empty(), checkpoints.best());
      double[] metrics = {0.5, 0.9, 0.7};
      for (int step = 1; step <= 3; ++step) {
        weight.fill(step);
        checkpoints.save(state, new SaveOptions().step(step).metric(metrics[step - 1]));
      }
      Check.that(checkpoints.save(state, new SaveOptions().step(4).metric(Double.NaN)).metricIgnored(), "NaN");
      Check.equal(4L, checkpoints.latest().get().step());
      Check.equal(OptionalDouble.empty(), checkpoints.latest().get().metric());
      Check.equal(2L, checkpoints.best().get().step());
      Check.equal(2L, checkpoints.load(state, 2).step());
      Check.equal(8.0, weight.sum());
      Check.equal(1L, checkpoints.load(state, new LoadOptions().step(1)).step());
      Check.equal(4.0, weight.sum());
      Check.raises(CkptInvalidArgumentException.class, "step", () ->
          checkpoints.load(state, new LoadOptions().step(1).name(checkpoints.latest().get().name())));
      Check.equal(3L, checkpoints.verify(checkpoints.findStep(3).get().name()).tensors() + 2);
      Check.raises(CkptInvalidArgumentException.class, "verify", () -> checkpoints.load(state, new LoadOptions().verify(Verify.UNKNOWN)));
      checkpoints.remove(2);
      Check.equal(Optional.empty(), checkpoints.findStep(2));
      Check.raises(CkptNotFoundException.class, "no checkpoint", () -> checkpoints.load(state, 2));
      Check.raises(CkptNotFoundException.class, "2", () -> checkpoints.remove(2));
      Check.equal(3L, checkpoints.best().get().step());
      checkpoints.pin(1);
      Check.equal(true, checkpoints.findStep(1).get().pinned());
      Check.raises(CkptInvalidStateException.class, "pinned", () -> checkpoints.remove(1));
      Check.equal(List.of(3L), checkpoints.prune("last:1", true).stream().map(CheckpointInfo::step).toList());
      Check.equal(List.of(), checkpoints.prune(null, false));
      Check.raises(CkptInvalidArgumentException.class, "rule 2, 'best'", () -> checkpoints.prune("last:1, best", false));
      checkpoints.unpin(1);
      checkpoints.remove(checkpoints.latest().get().name());
      Check.equal(List.of(3L, 1L), checkpoints.list().stream().map(CheckpointInfo::step).toList());
      checkpoints.load(state, 1);
      SaveResult rolledBack = checkpoints.save(state, 2);
      Check.equal(true, rolledBack.rolledBack());
      Check.equal(1L, rolledBack.generation());
      Check.equal(List.of(2L, 1L, 3L), checkpoints.list().stream().map(CheckpointInfo::step).toList());
      Check.equal(true, checkpoints.findStep(3).get().abandoned());
      Check.equal(List.of(3L), checkpoints.pruneAbandoned(true).stream().map(CheckpointInfo::step).toList());
      Check.equal(List.of(3L), checkpoints.pruneAbandoned(false).stream().map(CheckpointInfo::step).toList());
      Check.equal(List.of(2L, 1L), checkpoints.list().stream().map(CheckpointInfo::step).toList());
    }
  }

  static void testModelsAndOptimizersInOneCall() {
    try (Storage storage = Storage.memory(); CheckpointManager checkpoints = new CheckpointManager(storage);
        Tensor weight = Tensor.copyOf(new float[] {1, 2}); Tensor moment = Tensor.copyOf(new float[] {3})) {
      Stateful model = into -> into.add("layers", "weight", weight);
      Stateful optimizer = into -> into.add("moments", "m", moment);
      checkpoints.save(model, optimizer, new SaveOptions().step(1));
      checkpoints.save(model, null, new SaveOptions().step(2));
      weight.fill(0);
      moment.fill(0);
      Check.equal(2L, checkpoints.load(model, null, new LoadOptions()).step());
      Check.equal(3.0, weight.sum());
      Check.equal(0.0, moment.sum());
      checkpoints.load(model, optimizer, new LoadOptions().step(1));
      Check.equal(3.0, moment.sum());
    }
  }

  /** The conformance tests cover values of other languages; these tests cover Java's own types. */
  static void testValuesOfAnyShape() {
    float[] shared = {1, 2};
    Map<String, Object> extra = new java.util.LinkedHashMap<>();
    extra.put("epoch", 3);
    extra.put("shared", List.of(shared, shared));
    extra.put("more", new Object[] {(short) 1, 'x', 2.5f, null, new short[] {-1}, new boolean[] {true, false}, Path.of("a/b"), new String[] {"y"}});
    extra.put("big", java.math.BigInteger.TEN.pow(30).negate());
    extra.put("emoji \uD83D\uDE00", "\uDC00");
    TreeRecord record = new TreeRecord("module.Point", true);
    record.put("x", 1.5);
    extra.put("complex", new Complex(1, -2));
    extra.put("record", record);
    try (Storage storage = Storage.memory(); CheckpointManager checkpoint = new CheckpointManager(storage); State state = new State()) {
      state.set("extra", "something older").set("extra", extra).set("rates", new double[] {0.5, 0.25}).set("none", null);
      Check.equal(new double[] {0.5, 0.25}, state.get("rates", double[].class));
      checkpoint.save(state, new SaveOptions().step(1));
      try (Reader reader = checkpoint.reader(null, Verify.LAZY)) {
        Map<?, ?> read = reader.get("extra", Map.class);
        Check.equal(List.copyOf(extra.keySet()), List.copyOf(read.keySet()));
        Check.equal(3L, read.get("epoch"));
        List<?> both = (List<?>) read.get("shared");
        Check.that(both.get(0) == both.get(1), "one array, one tensor");
        Check.equal(shared, ((Tensor) both.get(0)).toArray());
        List<?> more = (List<?>) read.get("more");
        Check.equal(List.of(1L, "x", 2.5), more.subList(0, 3));
        Check.equal(null, more.get(3));
        Check.equal((short) -1, ((Tensor) more.get(4)).buffer().order(java.nio.ByteOrder.nativeOrder()).getShort(0));
        Check.equal(new boolean[] {true, false}, ((Tensor) more.get(5)).toArray());
        Check.equal(Path.of("a/b"), more.get(6));
        Check.equal(List.of("y"), more.get(7));
        Check.equal(extra.get("big"), read.get("big"));
        Check.equal("\uDC00", read.get("emoji \uD83D\uDE00"));
        Check.equal(extra.get("complex"), read.get("complex"));
        Check.equal(record, read.get("record"));
        Check.that(((TreeRecord) read.get("record")).isTuple(), "a named tuple");
        Check.equal("module.Point", ((TreeRecord) read.get("record")).className());

        Check.equal(3, reader.get("extra", "epoch", Integer.class));
        Check.equal(3.0, reader.get("extra", "epoch", Double.class));
        Check.equal(null, reader.get("none", Object.class));
        Check.equal(new double[] {0.5, 0.25}, reader.get("rates", double[].class));
        Check.raises(CkptInvalidArgumentException.class, "expected a float[], found a ", () -> reader.get("rates", float[].class));
        Check.raises(CkptInvalidArgumentException.class, "value: expected a String, found a Long",
            () -> reader.get("extra", "epoch", String.class));
        Check.raises(CkptNotFoundException.class, "key 'none'", () -> reader.get("extra", "none", Object.class));
        Check.raises(CkptNotFoundException.class, "group 'lost' is not a tree", () -> reader.get("lost", Object.class));
      }
      Check.raises(CkptUnsupportedException.class, "a.1: a java.util.Date cannot be stored",
          () -> state.set("bad", Map.of("a", List.of(1, new java.util.Date()))));
      Check.raises(CkptInvalidArgumentException.class, "a key is a list", () -> state.set("bad", Map.of(List.of(), 1)));
      List<Object> loop = new java.util.ArrayList<>();
      loop.add(loop);
      Check.raises(CkptInvalidArgumentException.class, "deeper than 1000", () -> state.set("bad", loop));
      Check.raises(CkptNotFoundException.class, "group 'bad'", () -> state.get("bad", Object.class));
    }
  }

  /** Types of other languages that Java lacks are written unchanged. */
  static void testReadValuesAreWrittenUnchanged() {
    byte[] text = ("{\"format\":\"ckpt-tree\",\"format_version\":2,\"nodes\":[[\"dict\",6],\"model\",[\"attributes\"],[\"ordered_dict\",1],"
        + "\"w\",[\"tensor\",\"w\",\"torch\"],[\"dict\",1],\"_metadata\",[\"ordered_dict\",1],\"\",[\"dict\",1],\"version\",2,"
        + "\"pair\",[\"tuple\",2],1,[\"list\",1],2,\"free\",[\"tensor\",\"p\",\"parameter\"],"
        + "\"frozen\",[\"attributes\"],[\"tensor\",\"p\",\"parameter\"],[\"dict\",1],\"requires_grad\",false,"
        + "\"big\",[\"tensor\",\"w\",\"array\",\"big-endian\"],\"wide\",[\"tensor\",\"c\",\"array\",\"complex128\"]]}").getBytes();
    try (State state = new State(); Tensor tree = new Tensor(DType.U8, text.length); Tensor w = Tensor.copyOf(new float[] {1, 2});
        Tensor p = Tensor.copyOf(new float[] {3}); Tensor c = Tensor.copyOf(new double[] {1, 2}, 1, 2); State copy = new State()) {
      tree.buffer().put(text);
      state.add("g", "w", w).add("g", "p", p).add("g", "c", c).add("g", "__tree__", tree);
      TreeDict read = state.get("g", TreeDict.class);
      TreeDict model = (TreeDict) read.get("model");
      Check.that(model.isOrdered() && !read.isOrdered(), "an ordered dict");
      Check.equal(Map.of("_metadata", Map.of("", Map.of("version", 2L))), model.attributes());
      Check.that(((TreeList) read.get("pair")).isTuple(), "a tuple");
      Check.equal(Map.of("requires_grad", false), ((Attributed) read.get("frozen")).attributes());
      copy.set("g", read);
      // Attributes and forms by name: tensors get new names.
      try (Storage storage = Storage.memory(); CheckpointManager checkpoint = new CheckpointManager(storage)) {
        checkpoint.save(copy, new SaveOptions().step(1));
        try (Reader reader = checkpoint.reader(null, Verify.LAZY); Tensor again = reader.read(reader.find("g", "__tree__"))) {
          byte[] written = new byte[(int) again.bytes()];
          again.buffer().get(written);
          String expected = new String(text).replace("\"tensor\",\"w\"", "\"tensor\",\"model.w\"")
              .replace("\"tensor\",\"p\"", "\"tensor\",\"free\"").replace("\"tensor\",\"c\"", "\"tensor\",\"wide\"");
          Check.equal(expected, new String(written));
          Check.equal(List.of(1L, List.of(2L)), reader.get("g", "pair", List.class));
          try (Tensor frozen = reader.get("g", "frozen", Tensor.class)) {
            Check.equal(new float[] {3}, frozen.toArray());
          }
        }
      }
      Check.raises(CkptInvalidArgumentException.class, "attributes: expected at least one",
          () -> state.set("bad", new Attributed(1, Map.of())));
    }
  }

  /** Numbers of numpy without dimensions, as Python writes them. */
  static void testScalarsOfOtherLanguages() {
    Map<DType, Object> scalars = new java.util.EnumMap<>(DType.class);
    scalars.put(DType.BOOL, true);
    scalars.put(DType.I8, -1L);
    scalars.put(DType.U8, 255L);
    scalars.put(DType.I16, -1L);
    scalars.put(DType.U16, 65535L);
    scalars.put(DType.I32, -1L);
    scalars.put(DType.U32, 4294967295L);
    scalars.put(DType.I64, -1L);
    scalars.put(DType.U64, new java.math.BigInteger("18446744073709551615"));
    scalars.forEach((dtype, expected) -> {
      byte[] text = ("{\"format\":\"ckpt-tree\",\"format_version\":1,\"nodes\":[[\"tensor\",\"x\",\"scalar\"]]}").getBytes();
      try (Tensor scalar = new Tensor(dtype); Tensor tree = new Tensor(DType.U8, text.length); State state = new State()) {
        byte[] bits = new byte[(int) scalar.bytes()];
        java.util.Arrays.fill(bits, (byte) (dtype == DType.BOOL ? 1 : -1));
        scalar.buffer().put(bits);
        tree.buffer().put(text);
        state.add("g", "x", scalar).add("g", "__tree__", tree);
        Check.equal(expected, state.get("g", Object.class));
      }
    });
  }

  static void testTensorsOfEachDTypeAtEachShape() {
    for (DType dtype : DType.values()) {
      if (dtype.number() < 1) continue;
      long[][] shapes = dtype.bits() % 8 == 0 ? new long[][] {{0}, {}, {3}} : new long[][] {{0}, {4}};
      for (long[] shape : shapes) {
        try (Storage storage = Storage.memory(); CheckpointManager checkpoint = new CheckpointManager(storage);
            State state = new State(); Tensor tensor = new Tensor(dtype, shape)) {
          byte[] ones = new byte[(int) tensor.bytes()];
          java.util.Arrays.fill(ones, (byte) 1);
          tensor.buffer().put(ones);
          checkpoint.save(state.set("x", tensor).set("list", List.of(tensor)), new SaveOptions().step(1));
          try (Reader reader = checkpoint.reader(null, Verify.LAZY); Tensor read = reader.get("x", Tensor.class);
              Tensor part = (Tensor) reader.get("list", List.class).get(0)) {
            String what = dtype + " of " + java.util.Arrays.toString(shape);
            Check.that(read.isBitEqual(tensor) && part.isBitEqual(tensor), what + " is the same bits");
            Check.equal(tensor.toArray(), read.toArray());
          }
        }
      }
    }
  }

  static void testArraysOfEachKindComeBack() {
    try (State state = new State()) {
      for (Object array : new Object[] {new short[] {-1, 2}, new boolean[] {true, false}, new int[] {3}, new long[0]}) {
        Check.equal(array, state.set("x", array).get("x", array.getClass()));
      }
      Check.raises(NullPointerException.class, "type", () -> state.get("x", null));
    }
    Check.raises(NullPointerException.class, "logger", () -> LogListener.to(null));
  }

  public static void main(String[] arguments) {
    Check.run(TestState.class);
  }
}
