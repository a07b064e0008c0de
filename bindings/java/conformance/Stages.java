import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.ckpt.*;

/** Adds the commands on activation managers and pipelines. */
class Stages extends Commands {
  private static final List<String> KINDS =
      List.of("store-all", "recompute-all", "selective", "memory-based", "strategy", "automatic");
  private static final List<String> ORDERS = List.of("gpipe", "1f1b", "interleaved");

  /** A pipeline with the data of its steps, and the losses of the last one. */
  private static final class Staged implements AutoCloseable {
    final Chain chain;
    final Pipeline pipeline;
    final Tensor input;
    final Tensor targets;
    double[] losses = {};

    Staged(Chain chain, int samples, int width, PipelineOptions options, long[] begins, ActivationPolicy policy) {
      this.chain = chain;
      pipeline = new Pipeline(chain, new TensorSpec(DType.F32, samples, width), options, begins, null, policy);
      input = new Tensor(DType.F32, samples, width);
      targets = new Tensor(DType.U8, samples);
      for (int i = 0; i < samples * width; ++i) input.floatBuffer().put(i, (i % 7) / 8f);
      for (int i = 0; i < samples; ++i) targets.buffer().put(i, (byte) (i % width));
    }

    PipelineLoss step(long number) {
      PipelineLoss loss = pipeline.run(new Step().step(number).input(input).targets(targets));
      losses = loss.microBatches();
      return loss;
    }

    boolean isSame(Staged other) {
      List<Parameter> own = chain.parameters();
      List<Parameter> others = other.chain.parameters();
      try {
        return Arrays.equals(losses, other.losses) && own.size() == others.size()
            && IntStream.range(0, own.size()).allMatch(i -> own.get(i).gradient().isBitEqual(others.get(i).gradient()));
      } finally {
        own.forEach(Staged::close);
        others.forEach(Staged::close);
      }
    }

    private static void close(Parameter parameter) {
      parameter.value().close();
      parameter.gradient().close();
    }

    @Override
    public void close() {
      pipeline.close();
      targets.close();
      input.close();
      chain.close();
    }
  }

  @Override
  List<String> run(Command c) {
    return switch (c.name()) {
      case "activations" -> created("activations", c.text(1), activations(c));
      case "policy" -> done(() -> manager(c).setPolicy(policy(c, c.text(2))));
      case "begin-step" -> done(() -> manager(c).beginStep((int) c.integer(2)));
      case "would-store" -> line(yesNo(manager(c).shouldCheckpoint((int) c.integer(2), c.integer(3))));
      case "store" -> line(yesNo(manager(c).store((int) c.integer(2), tensor(c.text(3)))));
      case "stored" -> line(manager(c).activation((int) c.integer(2)).map(Stages::described).orElse("-"));
      case "recompute" -> line(described(manager(c).recompute(tensor(c.text(3)), (int) c.integer(2))));
      case "stored-or-computed" -> line(described(manager(c).getOrCompute(tensor(c.text(3)), (int) c.integer(2))));
      case "list-stored" -> {
        long[] all = manager(c).list();
        yield line(all.length == 0 ? "-" : LongStream.of(all).mapToObj(String::valueOf).collect(Collectors.joining(" ")));
      }
      case "metadata" -> {
        ActivationMetadata n = manager(c).metadata((int) c.integer(2));
        yield line(n.spec().dtype().safetensorsName(), printed(n.spec().shape()), "bytes", n.bytes(), "hits", n.hits(), "at",
            n.storedAtNs());
      }
      case "clear" -> done(() -> manager(c).clear());
      case "pipeline" -> created("pipeline", c.text(1), pipeline(c));
      case "step" -> {
        PipelineLoss n = staged(c.text(1)).step(c.integer(2));
        yield line("loss", thousandths(n.mean()), "of",
            Arrays.stream(n.microBatches()).mapToObj(Objects::thousandths).collect(Collectors.joining(" ")));
      }
      case "same-step" -> line(yesNo(staged(c.text(1)).isSame(staged(c.text(2)))));
      case "stage" -> {
        PipelineStats n = staged(c.text(1)).pipeline.stats((int) c.integer(2));
        yield line("first", n.firstLayer(), "layers", n.layers(), "in-flight", n.inFlight(), "steps", n.steps(), "forwards",
            n.forwards(), "again", n.recomputedForwards(), "kept", n.keptMicroBatches(), "not", n.recomputedMicroBatches(),
            "peak", n.peakLiveBytes(), "reserved", n.reservedBytes());
      }
      default -> super.run(c);
    };
  }

  private ActivationManager manager(Command c) {
    return of(ActivationManager.class, "activations", c.text(1));
  }

  private Staged staged(String name) {
    return of(Staged.class, "pipeline", name);
  }

  private static String described(Tensor given) {
    try (given) {
      return joined(printed(given.shape()), "sum", exact(given.sum()));
    }
  }

  private ActivationPolicy policy(Command c, String kind) {
    ActivationPolicy policy = new ActivationPolicy().kind(ActivationPolicyKind.values()[indexOf(KINDS, kind)]);
    c.integer("interval", policy::interval);
    c.integer("threshold", policy::thresholdBytes);
    c.integer("memory", policy::memoryLimitBytes);
    c.given("strategy", name -> policy.strategy(of(Strategy.class, "strategy", name)));
    return policy;
  }

  private ActivationManager activations(Command c) {
    ActivationManagerOptions options = new ActivationManagerOptions();
    c.given("name", options::name);
    c.given("tracker", name -> options.tracker(of(MemoryTracker.class, "tracker", name)));
    c.given("clock", name -> options.clock(of(Clock.class, "clock", name)));
    return new ActivationManager(policy(c, c.text(2)), forward(c.option("forward", "scales")), options);
  }

  private static StageForward forward(String how) {
    return switch (how) {
      case "none" -> null;
      case "throws" -> (input, microBatch) -> {
        throw new IllegalStateException("no forward of " + microBatch);
      };
      case "scales" -> (input, microBatch) -> {
        Tensor output = new Tensor(input.dtype(), input.shape());
        output.copyFrom(input);
        output.scale(microBatch + 2);
        return output;
      };
      default -> throw new Misuse("unknown word " + how);
    };
  }

  private static Chain chain(long layers, int width) {
    Chain chain = new Chain();
    for (long i = 0; i < layers; ++i) {
      try (Layer linear = new Layer("linear" + i, "linear", width, width); Layer gelu = new Layer("gelu" + i, "gelu")) {
        chain.add(linear).add(gelu);
      }
    }
    try (Layer loss = new Layer("loss", "softmax_cross_entropy")) {
      chain.add(loss);
    }
    chain.initialize(1);
    return chain;
  }

  private Staged pipeline(Command c) {
    PipelineOptions options =
        new PipelineOptions().order(PipelineOrder.values()[indexOf(ORDERS, c.option("order", "1f1b"))]).measuredSteps(0);
    c.integer("stages", stages -> options.stages(stages.intValue()));
    c.integer("chunks", chunks -> options.chunks(chunks.intValue()));
    c.integer("micro_batches", count -> options.microBatches(count.intValue()));
    c.integer("budget", options::budgetBytes);
    int width = (int) c.integer(3);
    int samples = Integer.parseInt(c.option("samples", "8"));
    List<String> begins = c.names("begins");
    long[] firsts = begins.isEmpty() ? null : begins.stream().mapToLong(Long::parseLong).toArray();
    ActivationPolicy policy = policy(c, c.option("policy", "store-all"));
    Chain chain = chain(c.integer(2), width);
    try {
      return new Staged(chain, samples, width, options, firsts, policy);
    } catch (CkptException refused) {
      chain.close();
      throw refused;
    }
  }

  @Override
  String show(Object object) {
    if (!(object instanceof ActivationManager manager)) return super.show(object);
    ActivationPolicy policy = manager.policy();
    return joined(KINDS.get(policy.kind().ordinal()), "interval", policy.interval(), "threshold", policy.thresholdBytes(), "bytes",
        manager.memoryUsage(), "count", manager.count());
  }
}
