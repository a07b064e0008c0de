import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicInteger;
import org.ckpt.*;
import org.ckpt.compat.CheckpointConfig;
import org.ckpt.compat.CheckpointStrategyFactory;

/** Strategies, profiles, schedules, cursors. */
final class TestPlan {
  private static final TensorSpec SMALL = new TensorSpec(DType.F32, 10);
  private static final TensorSpec LARGE = new TensorSpec(DType.F32, 1024, 1024);

  private static final LayerProfile LAYER = new LayerProfile().outputBytes(1000);
  private static final OptionProfile OPTION = new OptionProfile().tapeBytes(4000).forwardSeconds(1).backwardSeconds(2);

  private static Profile profile(int layers) {
    Profile profile = new Profile(1000);
    for (int i = 0; i < layers; ++i) profile.addLayer("layer" + i, LAYER, OPTION);
    return profile;
  }

  static void testCommonStrategies() {
    try (Strategy interval = CheckpointStrategyFactory.createInterval();
        Strategy size = CheckpointStrategyFactory.createSizeBased();
        Strategy selective = CheckpointStrategyFactory.createSelective(List.of("block.*"), List.of("*.0"));
        Strategy any = Strategy.anyOf(interval, size); Strategy all = Strategy.allOf(interval, size);
        Strategy not = Strategy.notOf(interval);
        Strategy first = Strategy.firstOf(List.of(new StrategyRule("#0..1", size)), interval)) {
      Check.equal("Interval(2)", interval.name());
      Check.that(interval.shouldCheckpoint("a", SMALL, 0), "0");
      Check.that(!interval.shouldCheckpoint("a", SMALL, 1), "1");
      Check.that(size.shouldCheckpoint("a", LARGE, 1), "large");
      Check.that(any.shouldCheckpoint("a", LARGE, 1), "any");
      Check.that(!all.shouldCheckpoint("a", LARGE, 1), "all");
      Check.that(not.shouldCheckpoint("a", LARGE, 1), "not");
      Check.that(!first.shouldCheckpoint("a", SMALL, 0), "first");
      Check.that(selective.shouldCheckpoint("block.1", SMALL, 0), "selected");
      Check.that(!selective.shouldCheckpoint("block.0", SMALL, 0), "excluded");
      try (Tensor tensor = new Tensor(DType.F32, 1024, 1024); Strategy same = size.share()) {
        Check.that(same.shouldCheckpoint("a", tensor, 3), "tensor");
      }
      StrategyCounters counters = size.counters();
      Check.that(counters.askedLayers() >= 3, counters.toString());
      Check.equal(counters.chosenLayers() * LARGE.bytes(), counters.chosenBytes());
      size.reset();
      Check.equal(0L, size.counters().askedLayers());
      Check.equal(StrategyChosen.BOUNDARY, interval.chosen());
      interval.setChosen(StrategyChosen.RECOMPUTE);
      Check.equal(StrategyChosen.RECOMPUTE, interval.chosen());
    }
    try (Strategy smart = CheckpointStrategyFactory.createSmart(List.of("x"));
        Strategy aware = CheckpointStrategyFactory.createMemoryAware(0.5, null)) {
      smart.observeAccess("layer");
      Check.equal("Smart", smart.name());
      Check.that(aware.name().startsWith("MemoryAware"), aware.name());
    }
  }

  static void testTextAndConfig() {
    try (Strategy text = new Strategy("any(size:1MiB,interval:8)");
        Strategy config = Strategy.sizeBased(41, List.of("no"))) {
      Check.that(text.name().startsWith("Any("), text.name());
      Check.that(!config.shouldCheckpoint("a", SMALL, 0), "40 bytes");
      Check.that(!config.shouldCheckpoint("no", LARGE, 0), "excluded");
      Check.that(config.shouldCheckpoint("a", LARGE, 0), "large");
    }
    try (Strategy defaults = CheckpointStrategyFactory.createStrategy(
        new CheckpointConfig(org.ckpt.compat.CheckpointStrategy.INTERVAL))) {
      Check.equal("Interval(2)", defaults.name());
    }
    Check.raises(CkptNotFoundException.class, "known", () -> new Strategy("nonsense"));
    Check.raises(CkptInvalidArgumentException.class, "0", () -> Strategy.interval(0));
    Check.that(Strategy.knownKinds().contains("smart"), "kinds");
  }

  static void testCustomStrategies() {
    List<String> received = new ArrayList<>();
    CheckpointStrategy mine = new CheckpointStrategy() {
      @Override
      public boolean shouldCheckpoint(StrategyQuestion question) {
        if (question.layerIndex() == 7) throw new IllegalStateException("no sevens");
        received.add(question.layerName() + question.spec() + question.bytes());
        return question.layerIndex() == 3;
      }

      @Override
      public void reset() {
        received.add("reset");
      }

      @Override
      public void observeAccess(String layerName) {
        received.add("access " + layerName);
      }
    };
    try (Strategy strategy = Strategy.custom("Mine", mine)) {
      Check.equal("Mine", strategy.name());
      Check.that(strategy.shouldCheckpoint("a", SMALL, 3), "3");
      strategy.observeAccess("a");
      strategy.reset();
      Check.equal(List.of("aF32[10]40", "access a", "reset"), received);
      CkptCallbackException failure =
          Check.raises(CkptCallbackException.class, "no sevens", () -> strategy.shouldCheckpoint("a", SMALL, 7));
      Check.that(failure.getCause() instanceof IllegalStateException, "the cause is what was thrown");
    }
  }

  static void testRegisteredKinds() {
    AtomicInteger created = new AtomicInteger();
    Strategy.register("java-every", arguments -> {
          created.incrementAndGet();
          if (arguments.equals("none")) return null;
          return Strategy.interval(Long.parseLong(arguments));
        });
    try (Strategy strategy = new Strategy("java-every:3")) {
      Check.equal("Interval(3)", strategy.name());
      Check.raises(CkptCallbackException.class, "NumberFormat", () -> new Strategy("java-every:x"));
      Check.raises(CkptCallbackException.class, "null", () -> new Strategy("java-every:none"));
    }
    Strategy.unregister("java-every");
    Check.equal(3, created.get());
    Check.raises(CkptNotFoundException.class, "", () -> new Strategy("java-every:3"));
  }

  static void testSchedules() {
    try (Profile profile = profile(8); Schedule all = Schedule.create(profile, "store-all");
        Schedule none = Schedule.create(profile, "recompute-all");
        Schedule periodic = Schedule.create(profile, "periodic:2"); Schedule segments = Schedule.segments(profile, 0, 4);
        Strategy strategy = Strategy.interval(4); Schedule chosen = Schedule.fromStrategy(profile, strategy)) {
      Check.equal(8L, profile.layerCount());
      Check.equal(1000L, profile.inputBytes());
      Check.equal("layer3", profile.layerName(3));
      Check.equal(1, profile.options(3).size());
      Check.equal(OPTION.backwardSeconds(), profile.options(3).get(0).backwardSeconds());
      Check.equal(1000L, profile.layer(3).outputBytes());
      Check.equal("store-all", all.name());
      Check.equal(OptionalLong.of(8), all.layerCount());
      PlanReport report = all.verify(profile);
      Check.equal(8L, report.forwards());
      Check.equal(0L, report.recomputedForwards());
      Check.equal(28L, none.verify(profile).recomputedForwards());
      Check.that(none.verify(profile).peakBytes()[0] < report.peakBytes()[0], "less memory");
      try (Schedule same = Schedule.segments(profile, 0, 4)) {
        Check.equal(segments.fingerprint(), same.fingerprint());
      }
      Check.equal(periodic.verify(profile).stepSeconds(), segments.verify(profile).stepSeconds());
      Check.that(chosen.fingerprint() != all.fingerprint(), "the strategy chose");
      Check.equal(2L, strategy.counters().chosenLayers());
      List<FrontierPoint> frontier = profile.frontier("tapes");
      FrontierPoint fastest = frontier.get(frontier.size() - 1);
      Check.equal(report.stepSeconds(), fastest.stepSeconds());
      try (Schedule fitting = Schedule.create(profile, "tapes:" + fastest.reservedBytes())) {
        Check.equal(fastest.stepSeconds(), fitting.verify(profile).stepSeconds());
      }
      Check.raises(CkptNotFoundException.class, "planner is 'periodic'", () -> profile.frontier("periodic"));
      long reserved = periodic.reservedBytes(profile);
      Check.that(reserved >= periodic.verify(profile).peakBytes()[0], "reserved");
      try (Schedule budget = Schedule.create(profile, "auto:" + reserved); Schedule same = budget.share()) {
        Check.that(same.reservedBytes(profile) <= reserved, "auto");
      }
      Check.raises(CkptOverBudgetException.class, "bytes", () -> Schedule.create(profile, "auto:10"));
      Check.raises(CkptNotFoundException.class, "periodic:SEGMENTS", () -> Schedule.create(profile, "best"));
      Check.that(Schedule.knownPlanners().get(2).startsWith("periodic:SEGMENTS - "), "planners");
    }
  }

  static void testProfileFlagsOfFrameworks() {
    try (Profile profile = profile(8); Schedule all = Schedule.create(profile, "store-all")) {
      long before = all.verify(profile).peakBytes()[0];
      Check.equal(0, profile.flags());
      profile.setFlags(ProfileFlag.KEEPS_OUTPUT | ProfileFlag.OWN_ALLOCATOR);
      Check.equal(ProfileFlag.KEEPS_OUTPUT | ProfileFlag.OWN_ALLOCATOR, profile.flags());
      Check.equal(before + 1000, all.verify(profile).peakBytes()[0]);
      Check.raises(CkptInvalidArgumentException.class, "flags is 8; unknown bits", () -> profile.setFlags(8));
    }
  }

  static void testGraphs() {
    try (Profile profile = new Profile(10)) {
      long[][] bytes = {{100, 0}, {30, 40}, {30, 40}, {20, 0}};
      for (long[] each : bytes) {
        int flags = LayerFlag.NEEDS_INPUT | LayerFlag.DETERMINISTIC | LayerFlag.ADDS_GRADIENT;
        profile.addLayer("layer", new LayerProfile().outputBytes(each[0]).flags(flags),
            new OptionProfile().tapeBytes(each[1]).forwardSeconds(1).backwardSeconds(2));
      }
      profile.setInputs(3, new long[] {3, 1}, 3).setOutputs(4);
      profile.setFlags(ProfileFlag.OWN_ALLOCATOR);
      Check.that(profile.toJson().contains("\"inputs\":[3,1],\"needed_inputs\":[3]"), "json");
      try (Schedule all = Schedule.create(profile, "store-all")) {
        long stored = all.verify(profile).peakBytes()[0];
        try (Schedule planned = Schedule.create(profile, "graph:" + (stored - 1))) {
          Check.that(planned.verify(profile).peakBytes()[0] < stored, "fewer bytes");
          Check.equal(1L, planned.verify(profile).recomputedForwards());
        }
      }
      Check.raises(CkptUnsupportedException.class, "graph:BYTES", () -> Schedule.create(profile, "sqrt"));
      Check.raises(CkptInvalidArgumentException.class, "inputs[0] is 3; expected 0 .. 2",
          () -> profile.setInputs(2, new long[] {3}));
    }
  }

  static void testPrograms() {
    try (Profile profile = profile(8); Schedule schedule = Schedule.create(profile, "recompute-all");
        Program program = new Program(schedule, profile)) {
      Check.equal(schedule.reservedBytes(profile), program.arenaBytes(0));
      List<ProgramBuffer> buffers = program.buffers();
      long again = 0;
      for (ProgramOperation operation : program.operations()) {
        if ((operation.flags() & OperationFlag.AGAIN) != 0) again++;
        if (operation.kind() == ActionKind.TURN) Check.equal(8L, buffers.get((int) operation.input()).index());
      }
      Check.equal(28L, again);
      Check.equal(-1L, buffers.get(0).first());
      Check.that(program.json().startsWith("{\"format\":\"ckpt-program\""), "json");
      Check.raises(CkptInvalidArgumentException.class, "tier is 4", () -> program.arenaBytes(4));
    }
  }

  static void testFollowers() {
    long[] every = {2};
    List<String> used = new ArrayList<>();
    CheckpointStrategy choice = new CheckpointStrategy() {
      @Override
      public boolean shouldCheckpoint(StrategyQuestion question) {
        return question.layerIndex() % every[0] == 0;
      }

      @Override
      public void observeAccess(String layerName) {
        used.add(layerName);
      }
    };
    TensorSpec input = new TensorSpec(DType.F32, 2, 2);
    try (Chain chain = new Chain().add(new Layer("a", "relu")).add(new Layer("b", "relu")).add(new Layer("c", "relu"));
        Profile profile = Profile.of(chain, input, 0, null); Strategy strategy = Strategy.custom("mine", choice);
        Follower follower = new Follower(profile, strategy); Schedule first = follower.next().schedule()) {
      Follower.Next same = follower.next();
      Check.that(!same.changed() && same.schedule().fingerprint() == first.fingerprint(), "the same");
      every[0] = 1;
      Follower.Next other = follower.next();
      Check.that(other.changed() && other.schedule().fingerprint() != first.fingerprint(), "another");
      same.schedule().close();
      other.schedule().close();
      try (Tensor x = new Tensor(DType.F32, 2, 2);
          ScheduleExecutor executor = new ScheduleExecutor(chain, first, input, new ScheduleExecutorOptions().follower(follower))) {
        executor.run(new Step().input(x).outputGradient(x));
      }
      Check.that(used.containsAll(List.of("a", "b", "c")), "what ran");
    }
  }

  static void testMemoryAwareAdaptsToTheMemoryOfRealSteps() {
    TensorSpec input = new TensorSpec(DType.F32, 8, 8);
    try (Chain chain = new Chain(); MemoryTracker tracker = new MemoryTracker(); Tensor x = new Tensor(DType.F32, 8, 8)) {
      for (int i = 0; i < 16; ++i) chain.add(new Layer("layer" + i, "relu"));
      try (Profile profile = Profile.of(chain, input, 0, null)) {
        long least = Long.MAX_VALUE;
        for (int n = 1; n <= 10; ++n) {
          try (Strategy interval = Strategy.interval(n)) {
            interval.setChosen(StrategyChosen.BOUNDARY);
            try (Follower fixed = new Follower(profile, interval); Schedule schedule = fixed.next().schedule()) {
              least = Math.min(least, schedule.verify(profile).peakBytes()[0]);
            }
          }
        }
        try (Strategy strategy = Strategy.memoryAware(1.0, tracker, 2 * least, null)) {
          strategy.setChosen(StrategyChosen.BOUNDARY);
          try (Follower follower = new Follower(profile, strategy)) {
            java.util.function.LongSupplier step = () -> {
              try (Schedule schedule = follower.next().schedule();
                  ScheduleExecutor executor =
                      new ScheduleExecutor(chain, schedule, input, new ScheduleExecutorOptions().follower(follower))) {
                executor.run(new Step().input(x).outputGradient(x));
                return executor.stats().peakLiveBytes();
              }
            };
            long relaxed = 0;
            for (int i = 0; i < 12; ++i) relaxed = step.getAsLong();
            Check.that(relaxed > least, "there is room");
            long other = tracker.recordAllocation("other", least);
            Check.equal(least, step.getAsLong());
            Check.equal(least, step.getAsLong());
            tracker.recordDeallocation(other);
            long again = 0;
            for (int i = 0; i < 15; ++i) again = step.getAsLong();
            Check.equal(relaxed, again); // memory is available again
          }
        }
      }
    }
  }

  static void testActionsRoundTrip() {
    try (Profile profile = profile(300); Schedule periodic = Schedule.create(profile, "periodic:7")) {
      List<ScheduleAction> actions = new ArrayList<>();
      for (ScheduleAction action : periodic) actions.add(action);
      Check.equal(periodic.verify(profile).actions(), (long) actions.size());
      Check.equal(ActionKind.END, actions.get(actions.size() - 1).kind());
      try (Schedule same = new Schedule(300, actions)) {
        Check.equal(Arrays.toString(periodic.verify(profile).peakBytes()), Arrays.toString(same.verify(profile).peakBytes()));
      }
      try (Schedule wrong = new Schedule(300, List.of(Schedule.action(ActionKind.BACKWARD, 0, 300),
          Schedule.action(ActionKind.END, 0, 0)))) {
        Check.raises(CkptInvalidScheduleException.class, "action 0", () -> wrong.verify(profile));
      }
    }
  }

  static void testCursorsCanBeSaved() {
    try (Profile profile = profile(20); Schedule schedule = Schedule.create(profile, "periodic:4");
        Cursor cursor = schedule.cursor();
        Cursor other = schedule.cursor()) {
      cursor.next(10);
      byte[] place = cursor.save();
      ScheduleAction next = cursor.next();
      other.restore(place);
      Check.equal(next, other.next());
      Check.raises(CkptCorruptException.class, "", () -> other.restore(new byte[] {1, 2, 3}));
    }
    try (Schedule open = Schedule.openEnded(2, LayerFlag.NEEDS_INPUT | LayerFlag.DETERMINISTIC); Cursor cursor = open.cursor()) {
      Check.equal(OptionalLong.empty(), open.layerCount());
      for (int i = 0; i < 3; ++i) Check.equal(ActionKind.FORWARD, forward(cursor).kind());
      cursor.finish(6);
      Check.raises(CkptInvalidStateException.class, "", () -> cursor.finish(7));
    }
  }

  private static ScheduleAction forward(Cursor cursor) {
    ScheduleAction action = cursor.next();
    while (action.kind() == ActionKind.DROP) action = cursor.next();
    return action;
  }

  /** A chain of 100,000 layers, action by action. */
  static void testDeepChains() {
    try (Profile profile = profile(100_000); Schedule schedule = Schedule.create(profile, "periodic:316")) {
      long actions = 0;
      for (ScheduleAction action : schedule) actions += action.kind() == ActionKind.END ? 1000_000_000L : 1;
      Check.that(actions > 1000_000_000L, "no END");
    }
  }

  static void testPartsOfStrategies() {
    try (Strategy size = Strategy.sizeBased(4096, List.of("head", "emb*")); Strategy every = Strategy.interval(3);
        Strategy first = Strategy.firstOf(List.of(new StrategyRule("#0..2", size)), every)) {
      Check.equal("size", size.info().kind());
      Check.equal(4096L, size.info().thresholdBytes());
      Check.equal(List.of("head", "emb*"), size.patterns(StrategyList.EXCLUDED));
      Check.equal(List.of(), size.patterns(StrategyList.NAMES));
      Check.equal(3L, every.info().interval());
      Check.equal(List.of("#0..2"), first.patterns(StrategyList.RULES));
      List<Strategy> children = first.children();
      Check.equal(List.of("size", "interval"), children.stream().map(child -> child.info().kind()).toList());
      children.forEach(Strategy::close);
      try (Strategy same = new Strategy(first.text())) {
        Check.equal(first.text(), same.text());
        Check.equal(first.name(), same.name());
      }
    }
    try (Strategy mine = Strategy.custom("mine", question -> true)) {
      Check.equal("custom", mine.info().kind());
      Check.raises(CkptUnsupportedException.class, "custom", mine::text);
    }
    try (Strategy smart = Strategy.smart(0.1, 0, 0.7, List.of("x")); Strategy usual = Strategy.smart(List.of())) {
      Check.equal(0.1, smart.info().largeFactor());
      Check.equal(0.7, usual.info().lateShare());
      Check.equal("smart:large_factor=0.1,rare_accesses=0,!x", smart.text());
    }
    Check.raises(CkptInvalidArgumentException.class, "late_share", () -> Strategy.smart(1.5, 2, 2, List.of()));
    try (Strategy odd = Strategy.selective(List.of("a,b", "quote \"x\"", "(c)"), List.of("!d")); Strategy same = new Strategy(odd.text())) {
      for (String layer : List.of("a,b", "quote \"x\"", "(c)")) {
        Check.that(same.shouldCheckpoint(layer, new TensorSpec(DType.F32, new long[] {1}), 0), layer);
      }
      Check.equal(List.of("!d"), same.patterns(StrategyList.EXCLUDED));
    }
  }

  /** Custom strategies are accepted wherever a strategy is. */
  static void testCustomStrategiesAreAccepted() {
    CheckpointStrategy second = question -> question.layerIndex() == 1;
    try (Profile profile = profile(4); Strategy either = Strategy.anyOf(second, Strategy.interval(4));
        Strategy not = Strategy.notOf(second);
        Strategy both = Strategy.allOf(second, either);
        Strategy first = Strategy.firstOf(List.of(new StrategyRule("#1", second)), question -> false);
        Schedule frozen = Schedule.fromStrategy(profile, second); Follower follower = new Follower(profile, second);
        Schedule followed = follower.next().schedule()) {
      Check.that(either.shouldCheckpoint("l", SMALL, 1) && either.shouldCheckpoint("l", SMALL, 0), "any");
      Check.that(!either.shouldCheckpoint("l", SMALL, 2), "neither");
      Check.that(!not.shouldCheckpoint("l", SMALL, 1) && not.shouldCheckpoint("l", SMALL, 0), "not");
      Check.that(both.shouldCheckpoint("l", SMALL, 1) && !both.shouldCheckpoint("l", SMALL, 0), "all");
      Check.that(first.shouldCheckpoint("l", SMALL, 1) && !first.shouldCheckpoint("l", SMALL, 2), "first");
      Check.equal(frozen.fingerprint(), followed.fingerprint());
      Check.equal(1L, frozen.verify(profile).recomputedForwards());
    }
    ActivationPolicy policy = new ActivationPolicy().kind(ActivationPolicyKind.STRATEGY).strategy(second);
    System.gc();
    try (ActivationManager manager = new ActivationManager(policy); Tensor one = new Tensor(DType.F32, 2)) {
      for (int i = 0; i < 3; ++i) manager.store(i, one);
      Check.equal(new long[] {1}, manager.list());
    }
    Strategy.register("java-own", arguments -> second);
    try (Strategy created = new Strategy("java-own")) {
      Check.that(created.shouldCheckpoint("l", SMALL, 1) && !created.shouldCheckpoint("l", SMALL, 0), "registered");
    }
    Strategy.unregister("java-own");
    CheckpointStrategy asked = Strategy.interval(2); // the library's strategies implement the interface, too
    Check.that(asked.shouldCheckpoint(new StrategyQuestion(SMALL, "l", SMALL.bytes(), 2)), "by the interface");
  }

  /** The names of the reference API, with their arguments. */
  static void testFactoryOfTheReferenceImplementation() {
    CheckpointConfig config = new CheckpointConfig(
        org.ckpt.compat.CheckpointStrategy.SELECTIVE, 2, List.of("a*"), List.of("ab"), 1, 0.5);
    try (Strategy selective = CheckpointStrategyFactory.createStrategy(config);
        MemoryTracker tracker = new MemoryTracker();
        Strategy aware = CheckpointStrategyFactory.createMemoryAware(0.5, tracker);
        Strategy size = CheckpointStrategyFactory.createSizeBased(41, List.of("no"))) {
      Check.that(selective.shouldCheckpoint("a", SMALL, 0) && !selective.shouldCheckpoint("ab", SMALL, 0), "names and exclusions");
      Check.that(aware.info().hasTracker() && aware.info().maxShare() == 0.5, aware.info().toString());
      Check.that(!size.shouldCheckpoint("no", LARGE, 0) && !size.shouldCheckpoint("a", SMALL, 0), "40 bytes, and an exclusion");
    }
    for (org.ckpt.compat.CheckpointStrategy kind : org.ckpt.compat.CheckpointStrategy.values()) {
      if (kind == org.ckpt.compat.CheckpointStrategy.SELECTIVE) continue;
      CheckpointStrategyFactory.createStrategy(new CheckpointConfig(kind)).close();
    }
  }

  public static void main(String[] arguments) {
    Check.run(TestPlan.class);
  }
}
