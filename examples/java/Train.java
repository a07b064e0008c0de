import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import org.ckpt.*;

/**
 * A small trainer that saves in the background while it trains, shows progress, cancels a save, crashes half-way and resumes:
 * the loss and every bit of the weights equal those of an uninterrupted run.
 *
 * <p>java -cp 'build/release/java/*' examples/java/Train.java DIRECTORY
 */
public final class Train {
  private static final int SAMPLES = 256;
  private static final int INPUTS = 8;
  private static final int STEPS = 300;
  private static final int SAVE_EVERY = 50;
  private static final int CRASH_AT = 170;

  private Train() {}

  /** Points on two spirals, with products of their coordinates as inputs: class 0 or 1. */
  private static final class Data {
    final Tensor inputs = new Tensor(DType.F32, SAMPLES, INPUTS);
    final Tensor targets = new Tensor(DType.I32, SAMPLES);

    Data(long seed) {
      Random random = new Random(seed);
      for (int i = 0; i < SAMPLES; ++i) {
        double angle = 3 * random.nextDouble();
        int kind = i % 2;
        double x = Math.cos(angle + kind * Math.PI) * angle;
        double y = Math.sin(angle + kind * Math.PI) * angle;
        double[] features = {x, y, x * x, y * y, x * y, x * x * x, y * y * y, 1};
        for (int k = 0; k < INPUTS; ++k) inputs.floatBuffer().put(i * INPUTS + k, (float) features[k] / 4);
        targets.intBuffer().put(i, kind);
      }
    }
  }

  /** A chain with its optimizer, and the names of both in a checkpoint. */
  private static final class Model implements Stateful, AutoCloseable {
    final Chain chain = new Chain();
    final Optimizer optimizer;
    final ScheduleExecutor executor;
    long step;

    Model(Data data) {
      try (Layer first = new Layer("first", "linear", INPUTS, 32); Layer gelu = new Layer("gelu", "gelu");
          Layer second = new Layer("second", "linear:32,2"); Layer loss = new Layer("loss", "softmax_cross_entropy")) {
        chain.add(first).add(gelu).add(second).add(loss).initialize(1);
      }
      optimizer = Optimizer.adamw(chain, new AdamWOptions().learningRate(0.01));
      try (Profile profile = Profile.of(chain, data.inputs.spec(), 0, null);
          Schedule schedule = Schedule.create(profile, "store-all")) {
        executor = new ScheduleExecutor(chain, schedule, data.inputs.spec());
      }
    }

    double train(Data data) {
      double loss = executor.run(new Step().step(step).input(data.inputs).targets(data.targets));
      optimizer.step();
      ++step;
      return loss;
    }

    @Override
    public void list(State into) {
      for (Parameter parameter : chain.parameters()) into.add("weights", parameter.name(), parameter.value());
      for (NamedTensor tensor : optimizer.tensors()) into.add("optimizer", tensor.name(), tensor.tensor());
      into.setJson("step", String.valueOf(step)).setJson("updates", String.valueOf(optimizer.stepCount()));
    }

    @Override
    public void restore(State loaded) {
      step = Long.parseLong(loaded.json("step").orElseThrow());
      optimizer.setStepCount(Long.parseLong(loaded.json("updates").orElseThrow()));
    }

    @Override
    public void close() {
      executor.close();
      optimizer.close();
      chain.close();
    }
  }

  /** Trains up to a step; saves in the background at intervals. */
  private static double run(Model model, Data data, CheckpointManager checkpoints, int until) {
    CheckpointTaskListener progress = new CheckpointTaskListener() {
      @Override
      public void progress(long id, long doneBytes, long totalBytes) {
        System.out.printf("  save %d: %d of %d bytes%n", id, doneBytes, totalBytes);
      }
    };
    double loss = 0;
    try (AsyncManager manager = new AsyncManager(checkpoints, new AsyncManagerOptions().capacity(4), progress)) {
      while (model.step < until) {
        loss = model.train(data);
        if (model.step % SAVE_EVERY == 0) {
          System.out.printf("step %d: loss %.4f, saving%n", model.step, loss);
          manager.save(model, null, new SaveOptions().step(model.step));
        }
      }
      try (State state = new State().add("model", model)) { // this save waits for a step that never ends, and is cancelled
        SaveOptions never = new SaveOptions().step(model.step);
        CheckpointTask pending = manager.save(state, never, new CheckpointTaskOptions().gateStep(Long.MAX_VALUE));
        System.out.println("cancelled a pending save: " + pending.cancel(true) + ", " + pending.waitFor().state());
      }
      manager.waitAll(Duration.ofMinutes(1));
    }
    return loss;
  }

  public static void main(String[] arguments) {
    Path directory = Path.of(arguments.length > 0 ? arguments[0] : "java-checkpoints");
    Data data = new Data(7);
    double expected;
    try (Model whole = new Model(data)) {
      double first = whole.train(data);
      while (whole.step < STEPS - 1) whole.train(data);
      expected = whole.train(data);
      System.out.printf("without an interruption: loss %.4f, then %.4f%n", first, expected);
    }
    CheckpointManagerOptions two = new CheckpointManagerOptions().keepLast(2);
    try (CheckpointManager checkpoints = CheckpointManager.open(directory, two); Model lost = new Model(data)) {
      run(lost, data, checkpoints, CRASH_AT);
      System.out.println("crash at step " + lost.step);
    }
    try (CheckpointManager checkpoints = CheckpointManager.open(directory, two); Model resumed = new Model(data)) {
      LoadResult loaded = checkpoints.load(resumed, null, new LoadOptions());
      System.out.println("resumed from " + loaded.name() + " at step " + resumed.step);
      double loss = run(resumed, data, checkpoints, STEPS);
      System.out.printf("loss %.4f: %s%n", loss, loss == expected && loss < 0.2 ? "the same bits, and it has learned"
          : "not the same");
    }
  }
}
