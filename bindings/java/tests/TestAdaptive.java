import java.time.Duration;
import java.util.List;
import org.ckpt.*;

/** Formulas, the threshold rule, the controller, the simulator. */
final class TestAdaptive {
  private static void near(double expected, double actual) {
    Check.that(Math.abs(expected - actual) <= 1e-9 * Math.abs(expected), "expected " + expected + ", got " + actual);
  }

  static void testFormulas() {
    near(Math.sqrt(2 * 30 * 3600), Intervals.young(30, 3600));
    Check.that(Intervals.daly(30, 3600) < Intervals.young(30, 3600), "daly");
    Check.that(Intervals.expectedValue(30, 3600) > 0, "expected value");
    near(Intervals.young(30, 3600), Intervals.weibull(30, new WeibullLaw(1, 3600), 77));
    Check.raises(CkptInvalidArgumentException.class, "0", () -> Intervals.young(0, 1));
    WeibullLaw law = WeibullLaw.fit(100, 200, 300, 400);
    Check.that(law.shape() > 1 && law.scaleSeconds() > 200, law.toString());
    WeibullLaw censored = WeibullLaw.fit(new double[] {100, 200, 300, 400}, new boolean[] {true, true, true, false});
    Check.that(censored.scaleSeconds() > law.scaleSeconds(), "censored");
    Check.raises(CkptInvalidArgumentException.class, "", () -> WeibullLaw.fit(new double[] {1, 2}, new boolean[] {true}));
  }

  static void testThreshold() {
    try (Threshold rule = new Threshold(new ThresholdOptions().budget(1).threshold(0.5))) {
      rule.observeTask("short", 1);
      rule.observeTask("long", 10);
      Check.that(!rule.shouldCheckpoint("short", 1), "short");
      Check.that(rule.shouldCheckpoint("long", 10), "long");
      Check.that(!rule.shouldCheckpoint("long", 10), "no slot");
      rule.adjustPolicy(100, 1);
      Check.that(rule.info().threshold() < 0.5, "moved");
      rule.beginRun();
      Check.equal(0L, rule.info().used());
      Check.equal(List.of("short", "long"), rule.tasks().stream().map(TaskObservation::name).toList());
      Check.equal(10.0, rule.tasks().get(1).durationSeconds());
      rule.observeFailure("lost", 3);
      Check.that(rule.tasks().get(2).failed() && !rule.tasks().get(1).failed(), "the failure is of its task");
    }
  }

  static void testController() {
    try (Clock clock = Clock.manual(5_000_000_000L);
        Controller controller = new Controller(new ControllerOptions().policy(Policy.FIXED).intervalSeconds(100).clock(clock));
        Coordinator single = new Coordinator()) {
      Check.equal(5.0, controller.now());
      Check.raises(CkptInvalidStateException.class, "", () -> controller.shouldCheckpoint(0));
      controller.beginRun(0);
      controller.observeTask("step", 1);
      Check.equal(Reason.NOT_DUE, controller.shouldCheckpoint(50).reason());
      Decision decision = controller.decideAll(single, 100, Duration.ofSeconds(1));
      Check.that(decision.checkpoint() && decision.reason() == Reason.DUE && decision.policy() == Policy.FIXED,
          decision.toString());
      controller.begin(100);
      Check.equal(Reason.SAVE_IN_FLIGHT, controller.shouldCheckpoint(100).reason());
      controller.abort(101);
      controller.begin(101);
      controller.commit(102, 0.5, 1);
      controller.recordFailure(150);
      controller.recordRecovery(160, 50, 0.5);
      controller.notifyPreemption(161, 60);
      Check.equal(Reason.PREEMPTION, controller.shouldCheckpoint(162).reason());
      ControllerInfo info = controller.info();
      Check.equal(1L, info.failures());
      Check.equal(1L, info.saves());
      Check.equal("step", controller.tasks().get(0).name());
      try (Controller other = new Controller()) {
        other.restore(controller.json());
        Check.equal(controller.json(), other.json());
        other.resume(200);
        Check.equal(2L, other.info().failures());
        other.recordCleanExit(300);
        Check.raises(CkptCorruptException.class, "", () -> other.restore("{}"));
      }
    }
  }

  static void testControllerSavesByItself() throws Exception {
    try (Storage storage = Storage.memory(); CheckpointManager checkpoint = new CheckpointManager(storage);
        AsyncManager manager = new AsyncManager(checkpoint, new AsyncManagerOptions().capacity(2));
        Controller controller = new Controller();
        Tensor tensor = Tensor.copyOf(new float[] {1}); State state = new State().add("model", "t", tensor)) {
      controller.beginRun(0);
      CheckpointTask task = controller.saveAsync(manager, 1, state, new SaveOptions().step(3), new CheckpointTaskOptions(), null,
          null);
      Check.equal(3L, task.get().step());
      Check.equal(1L, controller.info().saves());
      Check.that(state.json(State.CONTROLLER).isPresent(), "what it knows is in the state");
    }
  }

  static void testSimulation() {
    try (Simulation simulation = new Simulation(
        new SimulationOptions().law("exponential:3600").replicas(2).failures(20).policies("auto,fixed:100"))) {
      Check.that(simulation.json().contains("\"auto\""), "json");
      Check.that(simulation.json().contains("\"extra_wall_curves\""), "curves");
    }
    Check.raises(CkptInvalidArgumentException.class, "", () -> new Simulation(new SimulationOptions()));
  }

  public static void main(String[] arguments) {
    Check.run(TestAdaptive.class);
  }
}
