import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.ckpt.*;

/** Activation managers and pipelines. */
final class TestPipeline {
  static void testActivationManagers() {
    try (ActivationManager manager = new ActivationManager(new ActivationPolicy().kind(ActivationPolicyKind.SELECTIVE).interval(2));
        Tensor one = Tensor.copyOf(new float[] {1, 2})) {
      manager.beginStep(4);
      Check.that(manager.store(0, one), "first");
      Check.that(!manager.store(1, one), "second");
      Check.that(manager.shouldCheckpoint(2, 8), "third");
      Tensor given = Tensor.copyOf(new float[] {3, 4});
      Check.that(manager.storeMoved(3, given), "last");
      Check.that(given.isClosed(), "given up");
      Check.equal(new long[] {0, 3}, manager.list());
      Check.equal(16L, manager.memoryUsage());
      Check.equal(2L, manager.count());
      Check.equal(new TensorSpec(DType.F32, 2), manager.metadata(3).spec());
      try (Tensor kept = manager.activation(3).get()) {
        Check.equal(7.0, kept.sum());
      }
      Check.that(manager.hasActivation(0) && manager.activation(1).isEmpty(), "has");
      Check.raises(CkptOutOfRangeException.class, "9", () -> manager.store(9, one));
      Tensor refused = Tensor.copyOf(new float[] {5});
      Check.raises(CkptOutOfRangeException.class, "9", () -> manager.storeMoved(9, refused));
      Check.raises(CkptInvalidStateException.class, "forward", () -> manager.recompute(one, 1));
      manager.setPolicy(new ActivationPolicy().kind(ActivationPolicyKind.RECOMPUTE_ALL));
      Check.equal(ActivationPolicyKind.RECOMPUTE_ALL, manager.policy().kind());
      manager.clear();
      Check.equal(0L, manager.count());
    }
    try (Strategy strategy = Strategy.interval(3); MemoryTracker tracker = new MemoryTracker();
        ActivationManager manager = new ActivationManager(new ActivationPolicy().kind(ActivationPolicyKind.STRATEGY).strategy(strategy), null,
            new ActivationManagerOptions().name("stage 1").tracker(tracker)); Tensor one = new Tensor(DType.F32, 100)) {
      for (int i = 0; i < 6; ++i) manager.store(i, one);
      Check.equal(new long[] {0, 3}, manager.list());
      Check.equal(800L, tracker.layerStats("stage 1").currentBytes());
    }
    new ActivationManager(new ActivationPolicy().kind(ActivationPolicyKind.AUTOMATIC)).close();
    new ActivationManager(new ActivationPolicy().kind(ActivationPolicyKind.MEMORY_BASED).thresholdBytes(10)).close();
  }

  static void testForwards() throws Exception {
    AtomicInteger calls = new AtomicInteger();
    StageForward forward = (input, microBatch) -> {
      if (microBatch == 5) throw new IllegalStateException("five is too many");
      if (microBatch == 6) return null;
      calls.incrementAndGet();
      Tensor created = new Tensor(DType.F32, 2);
      created.copyFrom(input);
      created.scale(microBatch);
      return created;
    };
    try (ActivationManager manager = new ActivationManager(new ActivationPolicy().kind(ActivationPolicyKind.RECOMPUTE_ALL), forward,
        new ActivationManagerOptions());
        Tensor input = Tensor.copyOf(new float[] {1, 2})) {
      try (Tensor created = manager.recompute(input, 3); Tensor again = manager.getOrCompute(input, 4)) {
        Check.equal(9.0, created.sum());
        Check.equal(12.0, again.sum());
      }
      Check.equal(2, calls.get());
      CkptCallbackException failure = Check.raises(CkptCallbackException.class, "five is too many", () ->
          manager.recompute(input, 5));
      Check.that(failure.getCause() instanceof IllegalStateException, "cause");
      Check.raises(CkptCallbackException.class, "null", () -> manager.recompute(input, 6));
    }
    WeakReference<StageForward> weak = lost();
    Check.collected("the forward stays after its manager", () -> weak.get() == null);
  }

  private static WeakReference<StageForward> lost() {
    Object[] own = new Object[1];
    StageForward forward = (input, microBatch) -> own[0] == null ? input : null;
    ActivationManager manager = new ActivationManager(new ActivationPolicy(), forward, new ActivationManagerOptions());
    try (Tensor input = Tensor.copyOf(new float[] {1}); Tensor same = manager.recompute(input, 0)) {
      Check.that(same.isBitEqual(input), "the input itself");
    }
    manager.close();
    return new WeakReference<>(forward);
  }

  private static Chain chain() {
    Chain chain = new Chain();
    for (int i = 0; i < 4; ++i) {
      try (Layer layer = new Layer("l" + i, "linear:4,4")) {
        chain.add(layer);
      }
    }
    try (Layer loss = new Layer("loss", "softmax_cross_entropy")) {
      chain.add(loss);
    }
    chain.initialize(3);
    return chain;
  }

  static void testPipelines() {
    PipelineOptions options = new PipelineOptions().stages(2).microBatches(4).order(PipelineOrder.GPIPE).measuredSteps(0);
    try (Chain staged = chain(); Chain whole = chain(); Tensor input = new Tensor(DType.F32, 8, 4);
        Tensor targets = Tensor.copyOf(new int[] {0, 1, 2, 3, 0, 1, 2, 3})) {
      input.fill(0.5);
      Step step = new Step().step(1).input(input).targets(targets);
      PipelineLoss one;
      try (Pipeline single = new Pipeline(whole, input.spec(), new PipelineOptions().microBatches(4).measuredSteps(0))) {
        one = single.run(step);
      }
      try (Pipeline pipeline = new Pipeline(staged, input.spec(), options)) {
        PipelineLoss loss = pipeline.run(step, Duration.ofMinutes(1));
        Check.equal(one.mean(), loss.mean());
        Check.equal(4, loss.microBatches().length);
        List<Parameter> left = staged.parameters();
        List<Parameter> right = whole.parameters();
        for (int i = 0; i < left.size(); ++i) Check.that(left.get(i).gradient().isBitEqual(right.get(i).gradient()), "gradients");
        pipeline.cancel(); // nothing runs
        Check.equal(2, pipeline.begins().length);
        Check.equal(4, Pipeline.inFlight(options, 0));
        Check.equal(1L, pipeline.stats(1).steps());
        Check.that(!pipeline.timeline().isEmpty() && !pipeline.stepTime().isZero(), "time-line");
        Check.that(pipeline.traceJson().contains("traceEvents"), "trace");
        try (ActivationManager manager = pipeline.manager(0); Schedule schedule = pipeline.schedule(0);
            Profile profile = pipeline.profile(0)) {
          Check.equal(ActivationPolicyKind.STORE_ALL, manager.policy().kind());
          Check.equal(pipeline.stats(0).peakLiveBytes(), schedule.verify(profile).peakBytes()[0]);
        }
      }
      try (Profile profile = Profile.of(whole, new TensorSpec(DType.F32, 2, 4), 1, null)) {
        Check.equal(2, Pipeline.split(profile, options).length);
      }
      try (Pipeline pipeline = new Pipeline(staged, input.spec(),
          new PipelineOptions().stages(2).microBatches(2).measuredSteps(0), new long[] {0, 3}, null,
          new ActivationPolicy().kind(ActivationPolicyKind.RECOMPUTE_ALL))) {
        Check.equal(new long[] {0, 3}, pipeline.begins());
        Check.that(pipeline.run(step).mean() > 0, "loss");
        Check.equal(2L, pipeline.stats(0).recomputedMicroBatches());
      }
      Check.raises(CkptInvalidArgumentException.class, "micro", () -> new Pipeline(staged, input.spec(),
          new PipelineOptions().microBatches(3)));
      Check.raises(CkptOverBudgetException.class, "", () -> new Pipeline(staged, input.spec(), options.budgetBytes(10)));
    }
  }

  public static void main(String[] arguments) {
    Check.run(TestPipeline.class);
  }
}
