import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.ckpt.*;

/** A framework written in Java, driven by schedules of every kind. */
final class TestDrive {
  /** y = sin(x) + x / 2, element by element; the tape is the slope. Counts live items. */
  private static class Waves implements Framework<double[]> {
    int alive;
    int calls;
    int forwards;
    String broken = "";
    Driver<double[]> driver;
    final Map<List<Integer>, double[]> slots = new HashMap<>();

    double[] created(double[] item) {
      ++alive;
      return item;
    }

    private void enter(String call) {
      ++calls;
      if (call.equals(broken)) throw new IllegalStateException("no " + call);
    }

    private static double wave(double x) {
      return Math.sin(x) + x / 2;
    }

    @Override
    public double[] forward(DriveCall call, double[] input) {
      if ((call.flags() & DriveFlag.TAKE_INPUT) != 0) --alive;
      enter("forward");
      double[] x = input;
      for (long layer = call.first(); layer < call.last(); ++layer) x = Arrays.stream(x).map(Waves::wave).toArray();
      forwards += (int) (call.last() - call.first());
      return created(x);
    }

    @Override
    public Recorded<double[]> record(DriveCall call, double[] input) {
      if ((call.flags() & DriveFlag.TAKE_INPUT) != 0) --alive;
      enter("record");
      ++forwards;
      double[] tape = created(Arrays.stream(input).map(x -> Math.cos(x) + 0.5).toArray());
      boolean wanted = (call.flags() & DriveFlag.NO_OUTPUT) == 0;
      double[] output = wanted ? created(Arrays.stream(input).map(Waves::wave).toArray()) : null;
      return new Recorded<>(output, tape);
    }

    @Override
    public double[] backward(DriveCall call, double[] input, double[] output, double[] tape, double[] gradOutput) {
      alive -= 2;
      if ((call.flags() & DriveFlag.TAKE_INPUT) != 0) --alive;
      if ((call.flags() & DriveFlag.TAKE_OUTPUT) != 0) --alive;
      enter("backward");
      double[] grad = new double[tape.length];
      for (int i = 0; i < grad.length; ++i) grad[i] = gradOutput[i] * tape[i];
      return created(grad);
    }

    @Override
    public double[] turn(DriveCall call, double[] output) {
      enter("turn");
      double[] grad = new double[output.length];
      Arrays.fill(grad, 1);
      return created(grad);
    }

    @Override
    public void store(DriveCall call, double[] item) {
      slots.put(List.of(call.tier(), call.slot()), item.clone());
    }

    @Override
    public double[] load(DriveCall call) {
      return created(slots.get(List.of(call.tier(), call.slot())).clone());
    }

    @Override
    public void await(DriveCall call) {}

    @Override
    public void drop(DriveCall call, double[] item) {
      if (call.tier() > 0) {
        Check.that(item == null && slots.remove(List.of(call.tier(), call.slot())) != null, "a slot that holds something");
      } else {
        Check.that(item != null, "an item");
        --alive;
      }
    }

    double[] gradient() {
      double[] grad = driver.run(created(new double[] {0.1, 0.2, 0.3}));
      --alive;
      Check.that(alive == 0 && slots.isEmpty(), "everything ended: " + alive);
      return grad;
    }
  }

  private static Profile profile(long layers) {
    return Profile.uniform(
        layers, new LayerProfile().flags(LayerFlag.DETERMINISTIC).outputBytes(24),
        new OptionProfile().tapeBytes(24).forwardSeconds(1).backwardSeconds(1).hasRecord(true));
  }

  private static Waves waves(Schedule schedule) {
    Waves waves = new Waves();
    waves.driver = new Driver<>(schedule, waves);
    return waves;
  }

  /** Layer i of a graph computes the sine of its first input plus the others. */
  private static final class Sums extends Waves {
    boolean returnsTooFew;

    private double[] output(DriveCall call, List<Input<double[]>> inputs) {
      ++forwards;
      double sum = Math.sin(inputs.get(0).item()[0]);
      for (Input<double[]> other : inputs.subList(1, inputs.size())) sum += other.item()[0];
      for (Input<double[]> input : inputs) if (input.isLast()) --alive;
      return created(new double[] {sum});
    }

    @Override
    public double[] forwardN(DriveCall call, List<Input<double[]>> inputs) {
      return output(call, inputs);
    }

    @Override
    public Recorded<double[]> recordN(DriveCall call, List<Input<double[]>> inputs) {
      double[] tape = created(new double[] {Math.cos(inputs.get(0).item()[0])});
      return new Recorded<>(output(call, inputs), tape);
    }

    @Override
    public List<double[]> backwardN(DriveCall call, List<Input<double[]>> inputs, double[] output, double[] tape,
        double[] gradOutput, List<double[]> sums) {
      for (int i = 0; i < sums.size(); ++i) {
        double part = gradOutput[0] * (i == 0 ? tape[0] : 1);
        if (sums.get(i) == null) {
          sums.set(i, created(new double[] {part}));
        } else {
          sums.get(i)[0] += part;
        }
        if (inputs.get(i).isLast()) --alive;
      }
      alive -= 2;
      if ((call.flags() & DriveFlag.TAKE_OUTPUT) != 0) --alive;
      return returnsTooFew ? sums.subList(1, sums.size()) : sums;
    }
  }

  static void testAGraphGivesTheSameGradientWithinABudget() {
    try (Profile profile = new Profile(64)) {
      for (int i = 0; i < 12; ++i) {
        profile.addLayer(
            "layer" + i, new LayerProfile().outputBytes(64).flags(LayerFlag.DETERMINISTIC),
            new OptionProfile().tapeBytes(640).forwardSeconds(1).backwardSeconds(1));
      }
      for (int i = 2; i < 12; ++i) profile.setInputs(i, new long[] {i, i - 2});
      try (Schedule all = Schedule.create(profile, "store-all");
          Schedule less = Schedule.create(profile, "graph:" + all.reservedBytes(profile) * 6 / 10)) {
        Sums plain = new Sums();
        Sums recomputing = new Sums();
        try (Driver<double[]> one = new Driver<>(all, plain); Driver<double[]> two = new Driver<>(less, recomputing)) {
          double expected = one.run(plain.created(new double[] {0.5}))[0];
          Check.equal(expected, two.run(recomputing.created(new double[] {0.5}))[0]);
          Check.equal(12, plain.forwards);
          Check.that(recomputing.forwards > 12, "it recomputes");
          Check.equal(1, plain.alive);
          Check.equal(1, recomputing.alive);
          plain.returnsTooFew = true;
          Check.raises(CkptCallbackException.class, "returned 1 gradients; expected 2", () -> one.run(new double[] {0.5}));
        }
        Waves withoutGraphs = new Waves();
        try (Driver<double[]> driver = new Driver<>(all, withoutGraphs)) {
          Check.raises(CkptCallbackException.class, "recordN is not implemented", () -> driver.run(new double[] {0.5}));
        }
      }
    }
  }

  static void testAllSchedulesGiveTheSameGradient() {
    try (Profile profile = profile(20)) {
      double[] expected = null;
      for (String planner : List.of("store-all", "recompute-all", "sqrt", "revolve:3", "mixed:3", "two-level:2,2")) {
        try (Schedule schedule = Schedule.create(profile, planner)) {
          Waves waves = waves(schedule);
          double[] grad = waves.gradient();
          if (expected == null) expected = grad;
          Check.equal(expected, grad);
          Check.equal(schedule.verify(profile).forwards(), (long) waves.forwards);
          Check.equal(3, waves.driver.forward(waves.created(new double[] {0.1, 0.2, 0.3})).length);
          Check.raises(CkptInvalidStateException.class, "paused", () -> waves.driver.run(new double[] {1}));
          Check.equal(expected, waves.driver.backward(waves.created(new double[] {1, 1, 1})));
          --waves.alive;
          waves.driver.forward(waves.created(new double[] {0.1})); // its backward is never called
          waves.driver.close();
          Check.equal(0, waves.alive);
        }
      }
    }
  }

  static void testExceptionsOfTheFrameworkAreTheCause() {
    try (Profile profile = profile(9); Schedule schedule = Schedule.create(profile, "sqrt")) {
      Waves waves = waves(schedule);
      double[] expected = waves.gradient();
      Check.equal(Optional.empty(), waves.driver.failure());
      for (String call : List.of("forward", "record", "backward", "turn")) {
        waves.broken = call;
        CkptCallbackException thrown = Check.raises(
            CkptCallbackException.class, "no " + call, () -> waves.driver.run(waves.created(new double[] {0.1})));
        Check.that(thrown.getCause() instanceof IllegalStateException, "cause");
        Check.equal(call.toUpperCase(java.util.Locale.ROOT), waves.driver.failure().orElseThrow().kind().name());
        Check.equal(0, waves.alive);
        waves.broken = "";
        Check.equal(expected, waves.gradient());
      }
      Waves invalid = new Waves() {
        @Override
        public double[] forward(DriveCall call, double[] input) {
          return null;
        }
      };
      invalid.driver = new Driver<>(schedule, invalid);
      Check.raises(CkptCallbackException.class, "returned no handle for INPUT(", () -> invalid.driver.run(invalid.created(new double[] {0.1})));
      Check.equal(0, invalid.alive);
      invalid.driver.close();
      waves.driver.close();
    }
  }

  static void testCancelledAndOpenEnded() {
    try (Schedule schedule = Schedule.openEnded(2, LayerFlag.DETERMINISTIC)) {
      List<Long> lengths = new ArrayList<>();
      Waves waves = new Waves() {
        @Override
        public double[] forward(DriveCall call, double[] input) {
          if (call.first() == 6) driver.finish(8);
          if (call.first() == 4 && broken.equals("cancel")) driver.cancel();
          lengths.add(call.layers());
          return super.forward(call, input);
        }
      };
      waves.driver = new Driver<>(schedule, waves);
      waves.gradient();
      Check.that(lengths.contains(0L) && lengths.contains(8L), "known from then on: " + lengths);
      waves.broken = "cancel";
      Check.raises(CkptCancelledException.class, "cancelled", () -> waves.driver.run(waves.created(new double[] {0.1})));
      Check.equal(0, waves.alive);
      waves.broken = "";
      waves.driver.finish(5);
      waves.gradient();
      Check.raises(NullPointerException.class, "framework", () -> new Driver<double[]>(schedule, null));
      waves.driver.close();
    }
  }

  public static void main(String[] arguments) {
    Check.run(TestDrive.class);
  }
}
