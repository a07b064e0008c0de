import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.nio.IntBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.ckpt.*;

/** Layers, including custom ones, chains, executors, optimizers. */
final class TestEngine {
  private static final int SAMPLES = 8;

  /** y = factor * x, without a tape. */
  private static final class Scale implements CustomLayer {
    final AtomicLong forwards = new AtomicLong();
    final double factor;
    boolean failing;
    boolean ambient;
    ByteBuffer kept;

    Scale(double factor) {
      this.factor = factor;
    }

    @Override
    public long ambientBytes() {
      return ambient ? 16 : 0;
    }

    @Override
    public TensorSpec output(TensorSpec input) {
      if (input.dtype() != DType.F32) throw new IllegalArgumentException("only F32, not " + input.dtype());
      return input;
    }

    @Override
    public LayerOption option(TensorSpec input, int option) {
      return new LayerOption(64, 32, 0);
    }

    @Override
    public void forward(LayerContext context, ByteBuffer input, ByteBuffer output, ByteBuffer tape, ByteBuffer workspace) {
      if (failing) throw new IllegalStateException("forward fails in step " + context.step());
      forwards.incrementAndGet();
      Check.that(input.isReadOnly() && !output.isReadOnly() && input.isDirect(), "wrong buffers");
      Check.equal(context.input().bytes(), (long) input.remaining());
      Check.equal(32, workspace.remaining());
      if (tape != null) tape.putLong(0, 77);
      for (int i = 0; i < input.capacity(); i += 4) output.putFloat(i, (float) (factor * input.getFloat(i)));
      kept = output;
    }

    @Override
    public void backward(LayerContext context, ByteBuffer input, ByteBuffer output, ByteBuffer tape, ByteBuffer gradOutput,
        ByteBuffer gradInput, ByteBuffer workspace) {
      Check.equal(77L, tape.getLong(0));
      Check.that(output == null, "the flags do not ask for the output");
      for (int i = 0; i < gradOutput.capacity(); i += 4) gradInput.putFloat(i, (float) (factor * gradOutput.getFloat(i)));
    }
  }

  /** The loss: the mean over the samples of -x[target]. Exact in 32 bits for the numbers of its test. */
  private static final class Pick implements CustomLayer {
    final AtomicInteger asked = new AtomicInteger();
    final AtomicLong parts = new AtomicLong();
    final List<LayerContext> contexts = new ArrayList<>();
    final List<Tensor> kept = new ArrayList<>();
    int threads;

    @Override
    public TensorSpec output(TensorSpec input) {
      return new TensorSpec(DType.F32, 1);
    }

    @Override
    public LayerOption option(TensorSpec input, int option) {
      asked.incrementAndGet();
      return new LayerOption(4, 8, 12);
    }

    private IntBuffer targets(LayerContext context) {
      contexts.add(context);
      kept.add(context.targets().share());
      threads = context.pool().threadCount();
      context.pool().run(3, part -> parts.addAndGet(1 + part));
      context.pool().close(); // has no effect
      return context.targets().intBuffer();
    }

    @Override
    public void forward(LayerContext context, ByteBuffer input, ByteBuffer output, ByteBuffer tape, ByteBuffer workspace) {
      Check.equal(8, workspace.remaining());
      Check.that(tape == null || tape.remaining() == 4, "tape");
      IntBuffer targets = targets(context);
      float sum = 0;
      for (int i = 0; i < targets.remaining(); ++i) sum -= input.getFloat((i * 4 + targets.get(i)) * 4);
      output.putFloat(0, sum / targets.remaining());
    }

    @Override
    public void backward(LayerContext context, ByteBuffer input, ByteBuffer output, ByteBuffer tape, ByteBuffer gradOutput,
        ByteBuffer gradInput, ByteBuffer workspace) {
      Check.equal(12, workspace.remaining());
      IntBuffer targets = targets(context);
      for (int i = 0; i < gradInput.capacity(); i += 4) gradInput.putFloat(i, 0);
      for (int i = 0; i < targets.remaining(); ++i) {
        gradInput.putFloat((i * 4 + targets.get(i)) * 4, -gradOutput.getFloat(0) / targets.remaining());
      }
    }
  }

  /** y = x^2, with x as the tape. */
  private static class Square implements CustomLayer {
    final List<String> calls = new ArrayList<>();
    boolean measured;

    @Override
    public int flags() {
      return LayerFlag.DETERMINISTIC;
    }

    @Override
    public TensorSpec output(TensorSpec input) {
      return input;
    }

    @Override
    public LayerOption option(TensorSpec input, int option) {
      return new LayerOption(24, 8, 0);
    }

    @Override
    public void forward(LayerContext context, ByteBuffer input, ByteBuffer output, ByteBuffer tape, ByteBuffer workspace) {
      Check.that(context.pool() != null && (context.targets() == null || measured), "a step without targets");
      calls.add("forward");
      for (int i = 0; i < input.capacity(); i += 4) output.putFloat(i, input.getFloat(i) * input.getFloat(i));
      if (tape != null) tape.duplicate().put(input.duplicate());
    }

    @Override
    public void backward(LayerContext context, ByteBuffer input, ByteBuffer output, ByteBuffer tape, ByteBuffer gradOutput,
        ByteBuffer gradInput, ByteBuffer workspace) {
      for (int i = 0; i < tape.capacity(); i += 4) gradInput.putFloat(i, 2 * tape.getFloat(i) * gradOutput.getFloat(i));
    }
  }

  private static class SquareApart extends Square {
    @Override
    public void record(LayerContext context, ByteBuffer input, ByteBuffer tape, ByteBuffer workspace) {
      Check.that(context.recomputation() && workspace.remaining() == 8 && tape.remaining() == 24, "record");
      calls.add("record");
      tape.duplicate().put(input.duplicate());
    }
  }

  /** Inherits record. */
  private static final class SquareBelow extends SquareApart {}

  private static Chain classifier(CustomLayer custom) {
    Chain chain = new Chain();
    try (Layer first = new Layer("first", "linear:4,16"); Layer relu = new Layer("relu", "relu");
        Layer second = new Layer("second", "linear:16,3"); Layer loss = new Layer("loss", "softmax_cross_entropy")) {
      chain.add(first).add(relu);
      if (custom != null) {
        try (Layer layer = Layer.custom("custom", custom)) {
          chain.add(layer);
        }
      }
      chain.add(second).add(loss);
    }
    chain.initialize(1);
    return chain;
  }

  private static double train(Chain chain, Schedule schedule, int steps) {
    return train(chain, schedule, steps, false);
  }

  private static double train(Chain chain, Schedule schedule, int steps, boolean inOnePass) {
    Random random = new Random(1);
    float[] inputs = new float[SAMPLES * 4];
    int[] targets = new int[SAMPLES];
    for (int i = 0; i < SAMPLES; ++i) {
      targets[i] = i % 3;
      for (int k = 0; k < 4; ++k) inputs[i * 4 + k] = (float) (random.nextGaussian() + targets[i]);
    }
    double loss = 0;
    try (Tensor input = Tensor.copyOf(inputs, SAMPLES, 4); Tensor target = Tensor.copyOf(targets);
        ScheduleExecutor executor = new ScheduleExecutor(chain, schedule, input.spec());
        Optimizer optimizer = Optimizer.adamw(chain, new AdamWOptions().learningRate(0.01))) {
      for (int step = 0; step < steps; ++step) {
        loss = executor.run(new Step().step(step).input(input).targets(target).accumulate(inOnePass));
        if (inOnePass) {
          Check.that(optimizer.stepAndZero(0.5) > 0, "norm before");
          Check.equal(0f, chain.parameters().get(0).gradient().floatBuffer().get(0));
        } else {
          chain.clipGradients(0.5);
          optimizer.step();
        }
      }
      Check.equal((long) steps, executor.stats().steps());
      Check.equal(0L, executor.stats().liveBytes());
      Check.equal((long) steps, optimizer.stepCount());
      optimizer.setStepCount(5);
      Check.equal(5L, optimizer.stepCount());
      Check.equal(2 * chain.parameters().size(), optimizer.tensors().size());
    }
    return loss;
  }

  static void testTrainingLearnsAndSchedulesGiveTheSameBits() {
    Scale scale = new Scale(0.5);
    try (Chain stored = classifier(scale); Chain recomputed = classifier(new Scale(0.5))) {
      TensorSpec input = new TensorSpec(DType.F32, SAMPLES, 4);
      try (Profile profile = Profile.of(stored, input, 1, null); Schedule all = Schedule.create(profile, "store-all");
          Schedule none = Schedule.create(profile, "recompute-all")) {
        Check.equal(5L, stored.layerCount());
        Check.equal("custom", profile.layerName(2));
        double loss = train(stored, all, 60);
        Check.that(loss < 0.5, "loss " + loss);
        Check.equal(loss, train(recomputed, none, 60, true));
        Check.raises(CkptInvalidArgumentException.class, "max_norm is 0", () -> {
          try (Optimizer optimizer = Optimizer.sgd(stored, 1, 0)) {
            optimizer.stepAndZero(0);
          }
        });
      }
      List<Parameter> left = stored.parameters();
      List<Parameter> right = recomputed.parameters();
      Check.equal("first.weight", left.get(0).name());
      for (int i = 0; i < left.size(); ++i) {
        Check.that(left.get(i).value().isBitEqual(right.get(i).value()), left.get(i).name());
        Check.equal(left.get(i).value().spec(), left.get(i).gradient().spec());
      }
    }
    Check.that(scale.forwards.get() >= 60, "forwards");
  }

  static void testProfilesAreMeasuredRefinedAndWritten() {
    try (Chain chain = classifier(new Scale(0.5)); Tensor input = new Tensor(DType.F32, SAMPLES, 4);
        Tensor target = Tensor.copyOf(new int[SAMPLES])) {
      Step step = new Step().input(input).targets(target);
      try (Profile measured = Profile.measured(chain, step, 2, null); Schedule none = Schedule.create(measured, "recompute-all");
          ScheduleExecutor executor = new ScheduleExecutor(chain, none, input.spec(),
              new ScheduleExecutorOptions().recomputeCheck(RecomputeCheck.BITWISE).checkWrites(true))) {
        Check.that(measured.options(0).get(0).forwardSeconds() > 0, "seconds");
        Check.raises(CkptInvalidStateException.class, "no measured step", () -> executor.refine(measured));
        executor.run(step);
        try (Profile refined = executor.refine(measured); Profile again = Profile.fromJson(refined.toJson())) {
          Check.equal(refined.toJson(), again.toJson());
          Check.equal(refined.options(1).get(0).backwardSeconds(), again.options(1).get(0).backwardSeconds());
        }
      }
    }
    Check.raises(CkptCorruptException.class, "its format is not", () -> Profile.fromJson("{}"));
  }

  static void testExceptionsOfLayersEndTheStep() {
    Scale scale = new Scale(1);
    try (Chain chain = classifier(scale); Tensor input = new Tensor(DType.F32, SAMPLES, 4);
        Tensor target = Tensor.copyOf(new int[SAMPLES]);
        Profile profile = Profile.of(chain, input.spec(), 0, null); Schedule schedule = Schedule.create(profile, "store-all");
        WorkerPool pool = new WorkerPool(2); MemoryTracker tracker = new MemoryTracker(); Storage tier = Storage.memory();
        ScheduleExecutor executor = new ScheduleExecutor(chain, schedule, input.spec(),
            new ScheduleExecutorOptions().pool(pool).tracker(tracker).tier1Storage(tier))) {
      input.fill(1);
      scale.failing = true;
      CkptCallbackException failure = Check.raises(CkptCallbackException.class, "forward fails in step 4",
          () -> executor.run(new Step().step(4).input(input).targets(target)));
      Check.that(failure.getCause() instanceof IllegalStateException, "cause");
      scale.failing = false;
      Check.that(executor.run(new Step().step(5).input(input).targets(target)) > 0, "the next step works");
      Check.raises(CkptInvalidArgumentException.class, "input", () -> executor.run(new Step()));
      Check.that(tracker.stats().peakBytes() > 0, "tracked");
      Check.that(Arrays.equals(executor.stats().storedBytes(), new long[4]), "this schedule moves nothing to tiers");
    }
    try (Chain chain = new Chain(); Layer layer = Layer.custom("picky", scale)) {
      chain.add(layer);
      Check.raises(CkptCallbackException.class, "only F32", () -> Profile.of(chain, new TensorSpec(DType.F64, 2, 4), 0, null));
    }
  }

  static void testOutputsAndGradients() {
    try (Chain chain = new Chain(3); Layer layer = Layer.custom("double", new Scale(2));
        Tensor input = Tensor.copyOf(new float[] {1, 2}, 1, 2);
        Tensor output = new Tensor(DType.F32, 1, 2); Tensor gradient = Tensor.copyOf(new float[] {10, 20}, 1, 2);
        Tensor inputGradient = new Tensor(DType.F32, 1, 2)) {
      chain.add(layer);
      try (Profile profile = Profile.of(chain, input.spec(), 0, null); Schedule schedule = Schedule.create(profile, "store-all");
          ScheduleExecutor executor = new ScheduleExecutor(chain, schedule, input.spec())) {
        double loss = executor.run(
            new Step().input(input).output(output).outputGradient(gradient).inputGradient(inputGradient).accumulate(true));
        Check.that(Double.isNaN(loss), "no loss");
        Check.equal(4f, output.floatBuffer().get(1));
        Check.equal(40f, inputGradient.floatBuffer().get(1));
        Check.raises(CkptOverBudgetException.class, "", () ->
            new ScheduleExecutor(chain, schedule, input.spec(), new ScheduleExecutorOptions().budgetBytes(1)));
      }
      Check.raises(CkptInvalidStateException.class, "", () -> chain.add(layer));
    }
  }

  /** y = x; records for each forward whether it is an evaluation. */
  private static final class Watching implements CustomLayer {
    final List<Boolean> evaluations = new ArrayList<>();

    @Override
    public TensorSpec output(TensorSpec input) {
      return input;
    }

    @Override
    public void forward(LayerContext context, ByteBuffer input, ByteBuffer output, ByteBuffer tape, ByteBuffer workspace) {
      evaluations.add(context.evaluation());
      output.put(input);
    }

    @Override
    public void backward(LayerContext context, ByteBuffer input, ByteBuffer output, ByteBuffer tape, ByteBuffer gradOutput,
        ByteBuffer gradInput, ByteBuffer workspace) {
      gradInput.put(gradOutput);
    }
  }

  static void testAGraphGivesTheSameLossWithinABudget() {
    try (Chain chain = new Chain(); Layer in = new Layer("in", "linear:4,16"); Layer hidden = new Layer("hidden", "linear:16,16");
        Layer gelu = new Layer("gelu", "gelu"); Layer skip = new Layer("skip", "add");
        Layer both = new Layer("both", "concatenate"); Layer out = new Layer("out", "linear:32,3");
        Layer loss = new Layer("loss", "softmax_cross_entropy"); Tensor x = new Tensor(DType.F32, 24, 4);
        Tensor targets = new Tensor(DType.U8, 24)) {
      chain.add(in).add(hidden).add(gelu).add(skip, 3, 1).add(both, 1, 4).add(out);
      Check.raises(CkptInvalidArgumentException.class, "inputs[0] is 7; expected 0 .. 6", () -> chain.add(loss, 7));
      Check.equal(6L, chain.layerCount());
      chain.add(loss, 6);
      chain.initialize(1);
      for (int i = 0; i < 96; ++i) x.floatBuffer().put(i, (float) (i * 37 % 11) - 5);
      for (int i = 0; i < 24; ++i) targets.buffer().put(i, (byte) (i % 3));
      Step step = new Step().input(x).targets(targets);
      try (Profile profile = Profile.of(chain, x.spec(), 0, null); Schedule all = Schedule.create(profile, "store-all");
          Schedule less = Schedule.create(profile, "graph:" + all.reservedBytes(profile) * 9 / 10);
          ScheduleExecutor plain = new ScheduleExecutor(chain, all, x.spec());
          ScheduleExecutor executor = new ScheduleExecutor(chain, less, x.spec())) {
        Check.equal(plain.run(step), executor.run(step));
        Check.that(executor.stats().recomputedForwards() > 0, "it recomputes");
        Check.that(executor.stats().reservedBytes() < plain.stats().reservedBytes(), "it needs fewer bytes");
      }
    }
  }

  static void testATiedHeadLearnsAndIsEvaluated() {
    Watching watching = new Watching();
    try (Chain chain = new Chain(); Layer embedding = new Layer("embedding", "token_embedding:16,4,8");
        Layer dropout = new Layer("dropout", "dropout", 0.5); Layer watched = Layer.custom("watching", watching);
        Layer head = Layer.tiedHead("head", embedding); Layer last = new Layer("loss", "softmax_cross_entropy");
        WorkerPool pool = new WorkerPool(2); Tensor tokens = new Tensor(DType.U8, 6, 4)) {
      chain.add(embedding).add(dropout).add(watched).add(head).add(last);
      chain.initialize(3);
      chain.setWorkerPool(pool);
      for (int i = 0; i < 24; ++i) tokens.buffer().put(i, (byte) (i * 5 % 16));
      Step step = new Step().input(tokens).targets(tokens);
      try (Profile profile = Profile.of(chain, tokens.spec(), 0, null); Schedule all = Schedule.create(profile, "store-all");
          ScheduleExecutor executor =
              new ScheduleExecutor(chain, all, tokens.spec(), new ScheduleExecutorOptions().checkFinite(true));
          Optimizer optimizer = Optimizer.sgd(chain, 0.5, 0)) {
        optimizer.setLearningRate(1);
        Check.equal(1.0, optimizer.getLearningRate());
        double before = executor.evaluate(step, 5);
        Check.equal(List.of(true), watching.evaluations);
        for (int i = 0; i < 20; ++i) {
          executor.run(step.step(i));
          optimizer.step();
        }
        Check.equal(false, watching.evaluations.get(watching.evaluations.size() - 1));
        double after = executor.evaluate(step, 5);
        Check.that(after < before, "it learns");
        Tensor gradient = chain.parameters().get(0).gradient();
        try (Tensor kept = Tensor.copyOf(gradient.buffer(), DType.F32, 16, 8)) {
          Check.equal(after, executor.evaluate(step.step(1), 5)); // nothing is dropped
          Check.that(gradient.isBitEqual(kept), "an evaluation has no gradients");
        }
        optimizer.setLearningRate(0);
        optimizer.step();
        Check.equal(after, executor.evaluate(step, 5));
        Check.raises(CkptInvalidArgumentException.class, "layer_count is 6", () -> executor.evaluate(step, 6));
        Check.raises(CkptInvalidArgumentException.class, "learning_rate is -1", () -> optimizer.setLearningRate(-1));
      }
      chain.setWorkerPool(null);
      Check.raises(CkptInvalidArgumentException.class, "embedding", () -> Layer.tiedHead("head", dropout));
    }
  }

  static void testRatesFollowAScheduleAndBiasesNeedNotDecay() {
    LearningRateSchedule schedule = new LearningRateSchedule().kind(LearningRateKind.COSINE).peakRate(1).lastRate(0.25)
        .warmUpSteps(3).stepCount(11);
    Check.equal(0.25, Optimizer.learningRateAt(schedule, 0));
    Check.equal(1.0, Optimizer.learningRateAt(schedule, 3));
    Check.that(Math.abs(Optimizer.learningRateAt(schedule, 7) - 0.625) < 1e-12, "half way down");
    Check.equal(0.25, Optimizer.learningRateAt(schedule, 11));
    Check.raises(CkptInvalidArgumentException.class, "step is -1", () -> Optimizer.learningRateAt(schedule, -1));
    try (Chain chain = new Chain(); Layer linear = new Layer("linear", "linear", 2, 2)) {
      chain.add(linear);
      chain.initialize(1);
      for (Parameter parameter : chain.parameters()) parameter.value().fill(1);
      try (Optimizer optimizer = Optimizer.adamw(chain, new AdamWOptions().decayMatricesOnly(true))) {
        optimizer.step();
      }
      Check.that(chain.parameters().get(0).value().floatBuffer().get(0) < 1, "the weight decays");
      Check.equal(1f, chain.parameters().get(1).value().floatBuffer().get(0));
    }
  }

  static void testOtherLayers() {
    try (Chain chain = new Chain(); Layer embedding = new Layer("e", "embedding:10,3,4");
        Layer dropout = new Layer("d", "dropout:0.5");
        Layer gelu = new Layer("g", "gelu")) {
      chain.add(embedding).add(dropout).add(gelu);
      chain.initialize(7);
      try (Profile profile = Profile.of(chain, new TensorSpec(DType.U8, 5, 3), 0, null)) {
        Check.equal(2, profile.options(1).size());
        Check.equal(new TensorSpec(DType.F32, 5, 12), profile.layer(2).spec());
      }
      Check.raises(CkptInvalidArgumentException.class, "1", () -> new Layer("d", "dropout:1"));
      Check.raises(CkptInvalidArgumentException.class, "'dropout:0.5,2'", () -> new Layer("d", "dropout", 0.5, 2));
      Check.that(Layer.knownKinds().get(0).startsWith("linear:INPUTS,OUTPUTS[,DTYPE] - "), "kinds");
    }
    Check.that(!Blas.info().isEmpty(), "blas");
    Check.raises(CkptInvalidArgumentException.class, "", () -> Blas.set(0, 0, "none", false));
  }

  /** In a separate virtual machine: a BLAS is loaded once. */
  static final class Kernels {
    public static void main(String[] arguments) {
      Check.raises(CkptInvalidArgumentException.class, "expected best, ", () -> Blas.setKernels("Skylake"));
      Blas.setKernels("Prescott");
      Check.that(Blas.info().contains("its kernels are Prescott (SSE3)"), Blas.info());
      Check.raises(CkptInvalidStateException.class, "its Prescott kernels", () -> Blas.setKernels("best"));
    }
  }

  static void testKernelsAreSetOnce() throws Exception {
    if (!System.getProperty("os.arch").equals("amd64")) {
      Check.raises(CkptUnsupportedException.class, "x86-64", () -> Blas.setKernels("best"));
      return;
    }
    Process process = new ProcessBuilder(System.getProperty("java.home") + "/bin/java", "-XX:TieredStopAtLevel=1",
            "--enable-native-access=ALL-UNNAMED", "-cp", System.getProperty("java.class.path"), "TestEngine$Kernels")
        .redirectErrorStream(true).start();
    String text = new String(process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
    Check.equal("0 ", process.waitFor() + " " + text);
  }

  /** Only the library references the layer's object. */
  static void testLayersArePinnedAsLongAsTheChain() throws Exception {
    Chain chain = new Chain();
    WeakReference<CustomLayer> weak = add(chain);
    for (int i = 0; i < 5; ++i) System.gc();
    try (Profile profile = Profile.of(chain, new TensorSpec(DType.F32, 1, 2), 1, null)) {
      Check.equal(1L, profile.layerCount());
    }
    Check.that(weak.get() != null, "the layer went");
    chain.close();
    Check.collected("the layer stays after the chain", () -> weak.get() == null);
  }

  private static WeakReference<CustomLayer> add(Chain chain) {
    CustomLayer scale = new Scale(1);
    try (Layer layer = Layer.custom("lost", scale)) {
      chain.add(layer);
    }
    return new WeakReference<>(scale);
  }

  static void testTargetsAndPoolInAChainAndInAPipeline() {
    float[] x = new float[32];
    int[] targets = new int[8];
    float[] gradient = new float[32];
    float loss = 0;
    for (int i = 0; i < 8; ++i) {
      targets[i] = i * 7 % 4;
      for (int k = 0; k < 4; ++k) x[i * 4 + k] = ((i * 4 + k) * 5 % 17 - 8) / 4F;
      loss -= x[i * 4 + targets[i]] / 8;
      gradient[i * 4 + targets[i]] = -1 / 8F;
    }
    for (int microBatches : new int[] {1, 4}) {
      Pick pick = new Pick();
      int asked;
      try (Chain chain = new Chain(); Layer body = new Layer("body", "dropout:0"); Layer last = Layer.custom("pick", pick);
          Tensor input = Tensor.copyOf(x, 8, 4); Tensor target = Tensor.copyOf(targets); Tensor got = new Tensor(DType.F32, 8, 4);
          Tensor expected = Tensor.copyOf(gradient, 8, 4); WorkerPool pool = new WorkerPool(2)) {
        chain.add(body).add(last);
        Step step = new Step().firstSample(40).input(input).targets(target).inputGradient(got);
        if (microBatches == 1) {
          try (Profile profile = Profile.of(chain, input.spec(), 0, null); Schedule schedule = Schedule.create(profile, "store-all");
              ScheduleExecutor executor = new ScheduleExecutor(chain, schedule, input.spec(), new ScheduleExecutorOptions().pool(pool))) {
            asked = pick.asked.get();
            for (int i = 0; i < 3; ++i) Check.equal((double) loss, executor.run(step));
          }
          Check.equal(2, pick.threads);
          Check.equal(2, pool.threadCount());
        } else {
          try (Pipeline pipeline = new Pipeline(chain, input.spec(), new PipelineOptions().stages(2).microBatches(4).measuredSteps(0))) {
            asked = pick.asked.get();
            for (int i = 0; i < 3; ++i) Check.equal((double) loss, pipeline.run(step).mean());
          }
        }
        Check.that(got.isBitEqual(expected), "gradient");
      }
      Check.that(asked > 0 && pick.asked.get() == asked, "option is asked about when executor or pipeline are made");
      Check.equal(3L * 2 * microBatches * 6, pick.parts.get());
      Check.equal(3 * 2 * microBatches, pick.contexts.size());
      int samples = 8 / microBatches;
      for (int i = 0; i < pick.contexts.size(); ++i) {
        LayerContext context = pick.contexts.get(i);
        int begin = context.microBatch() * samples;
        Check.equal(40L + begin, context.firstSample());
        Check.that(context.targets().isClosed() && context.pool().isClosed(), "lent for the call only");
        Check.raises(CkptInvalidStateException.class, "WorkerPool is closed", () -> context.pool().run(1, part -> {}));
        try (Tensor kept = pick.kept.get(i)) { // those of the step are closed
          for (int k = 0; k < samples; ++k) Check.equal(targets[begin + k], kept.intBuffer().get(k));
        }
      }
    }
  }

  private static ScheduleAction action(ActionKind kind, long first, Item item) {
    return new ScheduleAction(kind, 0, first, item == Item.NONE ? first + 1 : 0, 0, item, 0, 0, 0);
  }

  static void testRecord() {
    List<ScheduleAction> actions = List.of(action(ActionKind.FORWARD, 0, Item.NONE), action(ActionKind.FORWARD_TAPE, 1, Item.NONE),
        action(ActionKind.DROP, 1, Item.INPUT), action(ActionKind.TURN, 0, Item.NONE), action(ActionKind.DROP, 2, Item.INPUT),
        action(ActionKind.BACKWARD, 1, Item.NONE), action(ActionKind.RECORD, 0, Item.NONE), action(ActionKind.DROP, 0, Item.INPUT),
        action(ActionKind.BACKWARD, 0, Item.NONE), action(ActionKind.END, 0, Item.NONE));
    Tensor first = null;
    for (Square square : List.of(new Square(), new SquareApart(), new SquareBelow())) {
      boolean records = square instanceof SquareApart;
      Tensor gradient = new Tensor(DType.F32, 2, 3);
      try (Chain chain = new Chain(); Layer one = Layer.custom("one", square); Layer two = Layer.custom("two", new Square());
          Tensor x = Tensor.copyOf(new float[] {1, 2 / 3F, 3, 4 / 3F, 5, 6}, 2, 3); Schedule schedule = new Schedule(2, actions)) {
        chain.add(one).add(two);
        try (Profile profile = Profile.of(chain, x.spec(), 0, null);
            ScheduleExecutor executor = new ScheduleExecutor(chain, schedule, x.spec(),
                new ScheduleExecutorOptions().recomputeCheck(RecomputeCheck.BITWISE).checkWrites(true))) {
          Check.equal(records, profile.options(0).get(0).hasRecord());
          Check.equal(records ? 8L : 0L, profile.options(0).get(0).recordWorkspaceBytes());
          executor.run(new Step().input(x).outputGradient(x).inputGradient(gradient));
        }
      }
      Check.equal(List.of("forward", records ? "record" : "forward"), square.calls);
      Check.that(gradient.sum() > 0 && (first == null || first.isBitEqual(gradient)), "the same bits");
      first = gradient;
    }
    Square failing = new Square() {
      @Override
      public void record(LayerContext context, ByteBuffer input, ByteBuffer tape, ByteBuffer workspace) {
        throw new IllegalStateException("no ink");
      }
    };
    failing.measured = true;
    try (Chain chain = new Chain(); Layer layer = Layer.custom("square", failing)) {
      chain.add(layer);
      Check.raises(CkptCallbackException.class, "record", () -> Profile.of(chain, new TensorSpec(DType.F32, 2, 3), 1, null));
    }
  }

  /** 3,000 custom layers in one chain: 6,000 callbacks with buffers inside one call. */
  static void testDeepChainsOfCallbacks() {
    try (Chain chain = new Chain(); Tensor input = new Tensor(DType.F32, 1, 1); Tensor output = new Tensor(DType.F32, 1, 1)) {
      Scale scale = new Scale(1);
      for (int i = 0; i < 3000; ++i) {
        try (Layer layer = Layer.custom("layer" + i, scale)) {
          chain.add(layer);
        }
      }
      input.fill(1);
      try (Profile profile = Profile.of(chain, input.spec(), 0, null); Schedule schedule = Schedule.create(profile, "periodic:50");
          ScheduleExecutor executor = new ScheduleExecutor(chain, schedule, input.spec())) {
        executor.run(new Step().input(input).output(output).outputGradient(input));
      }
      Check.equal(1.0, output.sum());
      Check.that(scale.forwards.get() > 3000, "forwards " + scale.forwards);
    }
  }

  public static void main(String[] arguments) {
    Check.run(TestEngine.class);
  }
}
