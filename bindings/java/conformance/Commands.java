import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.ckpt.*;

/** The commands on objects in memory: each returns the lines that it prints. */
class Commands extends Objects {
  private static final List<String> NOTHING = List.of();
  private static final List<String> CHOSEN = List.of("default", "recompute", "boundary");
  private static final Map<String, MemoryEventKind> EVENTS =
      Map.of(
          "allocated", MemoryEventKind.ALLOCATED, "freed", MemoryEventKind.FREED, "peak", MemoryEventKind.NEW_PEAK, "limit",
          MemoryEventKind.LIMIT_EXCEEDED);

  /** A registered kind of strategy. */
  private record Kind(String name) implements AutoCloseable {
    @Override
    public void close() {
      Strategy.unregister(name);
    }
  }

  private static final class Listener implements AutoCloseable {
    final EventLog events = new EventLog();
    private final MemorySubscription subscription;

    Listener(MemoryTracker tracker, MemoryEventKind[] kinds, boolean throwing) {
      subscription = tracker.subscribe(event -> onEvent(event, throwing), kinds);
    }

    private void onEvent(MemoryEvent event, boolean throwing) {
      if (throwing) throw new IllegalStateException("a listener that throws");
      String kind = EVENTS.entrySet().stream().filter(one -> one.getValue() == event.kind()).findAny().orElseThrow().getKey();
      events.add(
          kind, event.layerName().isEmpty() ? "-" : event.layerName(), "bytes", event.bytes(), "current", event.currentBytes(),
          "peak", event.peakBytes(), "limit", event.limitBytes());
    }

    @Override
    public void close() {
      subscription.unsubscribe();
    }
  }

  List<String> run(Command c) {
    return switch (c.name()) {
      case "show" -> List.of(show(find(c.text(1), TYPES).object()));
      case "reset" -> reset(find(c.text(1), List.of("strategy", "tracker")).object());
      case "same" -> same(find(c.text(1), List.of("tensor", "schedule")), c.text(2));
      case "close" -> closed(c.text(1));
      case "events" -> events(find(c.text(1), List.of("listener", "background")).object());
      case "philox" -> philox(c);
      case "clock" -> created("clock", c.text(1), Clock.manual(c.integer(2)));
      case "advance" -> done(() -> of(Clock.class, "clock", c.text(1)).advance(c.integer(2)));
      case "strategy" -> created("strategy", c.text(1), new Strategy(c.text(2)));
      case "config" -> created("strategy", c.text(1), config(c));
      case "custom" -> created("strategy", c.text(1), Strategy.custom(c.text(2), custom(c.text(2))));
      case "register" -> {
        Strategy.register(c.text(1), arguments -> Strategy.interval(Long.parseLong(arguments)));
        yield created("kind", c.text(1), new Kind(c.text(1)));
      }
      case "ask" -> line(yesNo(strategy(c).shouldCheckpoint(c.text(2), spec(c), c.integer(5))));
      case "layers" -> {
        Strategy asked = strategy(c);
        TensorSpec spec = spec(c);
        yield List.of(IntStream.range(0, (int) c.integer(2)).mapToObj(i -> asked.shouldCheckpoint("layer" + i, spec, i) ? "y"
            : "n").reduce("", String::concat));
      }
      case "access" -> done(() -> strategy(c).observeAccess(c.text(2)));
      case "tracker" -> {
        String clock = c.option("clock", null);
        yield created("tracker", c.text(1), new MemoryTracker(
            new MemoryTrackerOptions().clock(clock == null ? null : of(Clock.class, "clock", clock))));
      }
      case "allocate" -> created("allocation", c.text(4), tracker(c).recordAllocation(c.text(2), c.integer(3)));
      case "reserve" -> {
        OptionalLong id = tracker(c).tryReserve(c.text(2), c.integer(3));
        if (id.isPresent()) created("allocation", c.text(4), id.getAsLong());
        yield line(yesNo(id.isPresent()));
      }
      case "free" -> done(() -> tracker(c).recordDeallocation(of(Long.class, "allocation", c.text(2))));
      case "free-layer" -> line(tracker(c).freeLayer(c.text(2)));
      case "by-layer" -> byLayer(tracker(c), MemoryOrder.values()[indexOf(List.of("id", "current", "peak"), c.text(2))]);
      case "savings" -> {
        MemorySavings savings = tracker(c).savings(c.integer(2));
        yield line(savings.bytes(), exact(savings.fraction()));
      }
      case "scope" -> created("scope", c.text(3), tracker(c).scope(c.text(2)));
      case "pop" -> line(scope(of(MemoryScope.class, "scope", c.text(1)).pop()));
      case "limit" -> done(() -> limit(c));
      case "listen" -> {
        MemoryEventKind[] kinds = Stream.of(c.text(3).split(",")).map(EVENTS::get).toArray(MemoryEventKind[]::new);
        boolean throwing = c.arguments() > 3 && c.text(4).equals("throws");
        yield created("listener", c.text(1), new Listener(of(MemoryTracker.class, "tracker", c.text(2)), kinds, throwing));
      }
      case "prometheus" -> tracker(c).prometheus(100).lines().filter(text -> text.startsWith(c.text(2))).toList();
      case "profile" -> created("profile", c.text(1), new Profile(c.integer(2)));
      case "layer" -> done(() -> layer(c));
      case "schedule" -> created("schedule", c.text(1), schedule(c, c.arguments() > 3 ? c.text(4) : ""));
      case "verify" -> verify(of(Schedule.class, "schedule", c.text(1)), of(Profile.class, "profile", c.text(2)));
      case "cursor" -> created("cursor", c.text(1), of(Schedule.class, "schedule", c.text(2)).cursor());
      case "next" -> cursor(c).next((int) c.integer(2)).stream()
          .map(a -> joined(a.kind(), a.first(), a.last(), a.option(), a.item().number(), a.tier(), a.slot())).toList();
      case "finalize" -> done(() -> cursor(c).finish(c.integer(2)));
      case "mark" -> created("place", c.text(2), cursor(c).save());
      case "restore" -> done(() -> cursor(c).restore(of(byte[].class, "place", c.text(2))));
      case "tensor" -> created("tensor", c.text(1),
          tensor(DType.find(c.text(2)), shapeOf(c.text(3)), c.arguments() > 3 ? c.integer(4) : 0));
      case "fill" -> done(() -> tensor(c.text(1)).fill(c.number(2)));
      case "add-scaled" -> done(() -> tensor(c.text(1)).addScaled(c.number(2), tensor(c.text(3))));
      case "sum" -> line(exact(tensor(c.text(1)).sum()));
      default -> throw new Misuse("unknown command " + c.name());
    };
  }

  static List<String> done(Runnable call) {
    call.run();
    return NOTHING;
  }

  List<String> created(String type, String name, Object object) {
    make(type, name, object);
    return NOTHING;
  }

  Tensor tensor(String name) {
    return of(Tensor.class, "tensor", name);
  }

  private Strategy strategy(Command c) {
    return of(Strategy.class, "strategy", c.text(1));
  }

  private MemoryTracker tracker(Command c) {
    return of(MemoryTracker.class, "tracker", c.text(1));
  }

  private Cursor cursor(Command c) {
    return of(Cursor.class, "cursor", c.text(1));
  }

  private static TensorSpec spec(Command c) {
    return new TensorSpec(DType.find(c.text(3)), shapeOf(c.text(4)));
  }

  private static List<String> reset(Object object) {
    return done(object instanceof Strategy strategy ? strategy::reset : ((MemoryTracker) object)::resetStats);
  }

  private List<String> same(Found first, String other) {
    if (first.object() instanceof Tensor tensor) return line(yesNo(tensor.isBitEqual(tensor(other))));
    return line(yesNo(((Schedule) first.object()).fingerprint() == of(Schedule.class, "schedule", other).fingerprint()));
  }

  private List<String> closed(String name) {
    return done(() -> forget(find(name, TYPES), name));
  }

  List<String> events(Object object) {
    return ((Listener) object).events.take();
  }

  private static List<String> philox(Command c) {
    int[] words = IntStream.rangeClosed(1, 6).map(i -> (int) c.integer(i)).toArray();
    int[] created = Ckpt.philox(Arrays.copyOf(words, 4), Arrays.copyOfRange(words, 4, 6));
    return line(IntStream.of(created).mapToObj(Integer::toUnsignedString).toArray());
  }

  /** Creates options from the words of a command. */
  private Strategy config(Command c) {
    Strategy created = madeOf(c);
    c.given("chosen", chosen -> created.setChosen(StrategyChosen.values()[indexOf(CHOSEN, chosen)]));
    return created;
  }

  private Strategy madeOf(Command c) {
    List<String> excluded = c.names("excluded");
    List<Strategy> children = c.names("children").stream().map(name -> of(Strategy.class, "strategy", name)).toList();
    return switch (c.text(2)) {
      case "interval" -> Strategy.interval(Long.parseLong(c.option("interval", "2")));
      case "selective" -> Strategy.selective(c.names("names"), excluded);
      case "size" -> Strategy.sizeBased(Long.parseLong(c.option("threshold", "1048576")), excluded);
      case "memory-aware" -> {
        String tracker = c.option("tracker", null);
        String clock = c.option("clock", null);
        yield Strategy.memoryAware(
            Double.parseDouble(c.option("share", "0.8")), tracker == null ? null : of(MemoryTracker.class, "tracker", tracker),
            Long.parseLong(c.option("total", "0")), clock == null ? null : of(Clock.class, "clock", clock));
      }
      case "smart" -> {
        yield Strategy.smart(Double.parseDouble(c.option("large", "1.5")), Long.parseLong(c.option("rare", "2")),
            Double.parseDouble(c.option("late", "0.7")), excluded);
      }
      case "any" -> Strategy.anyOf(children.toArray(new Strategy[0]));
      case "all" -> Strategy.allOf(children.toArray(new Strategy[0]));
      case "not" -> {
        if (children.size() != 1) throw new CkptInvalidArgumentException("not has one child");
        yield Strategy.notOf(children.get(0));
      }
      case "first" -> {
        List<String> rules = c.names("rules");
        if (children.size() != rules.size() + 1) throw new CkptInvalidArgumentException("first has a child for each rule");
        yield Strategy.firstOf(
            IntStream.range(0, rules.size()).mapToObj(i -> new StrategyRule(rules.get(i), children.get(i))).toList(),
            children.get(rules.size()));
      }
      default -> new Strategy(c.text(2));
    };
  }

  private static CheckpointStrategy custom(String how) {
    return switch (how) {
      case "odd" -> question -> question.layerIndex() % 2 == 1;
      case "large" -> question -> question.bytes() >= 1000;
      case "throws" -> question -> {
        throw new IllegalStateException("no answer for " + question.layerName());
      };
      default -> throw new Misuse("unknown word " + how);
    };
  }

  private static List<String> byLayer(MemoryTracker tracker, MemoryOrder order) {
    return tracker.snapshot(order).layers().stream()
        .map(n -> joined(n.name(), "current", n.currentBytes(), "peak", n.peakBytes(), "allocated", n.totalAllocatedBytes(),
            "freed",
            n.totalFreedBytes(), "live", n.liveAllocations(), "largest", n.largestBytes()))
        .toList();
  }

  private void limit(Command c) {
    if (c.text(2).equals("none")) {
      tracker(c).clearLimit();
    } else {
      tracker(c).setLimit(c.integer(2), c.arguments() > 2 ? c.integer(3) : 0);
    }
  }

  private void layer(Command c) {
    OptionProfile option = new OptionProfile().tapeBytes(c.integer(4)).forwardSeconds(c.number(5)).backwardSeconds(c.number(6));
    String count = c.option("count", null);
    LayerProfile layer = new LayerProfile().outputBytes(c.integer(3));
    c.given("flags", flags -> layer.flags(Integer.parseInt(flags)));
    List<String> names = new ArrayList<>();
    if (count == null) names.add(c.text(2));
    for (long i = 0; count != null && i < Long.parseLong(count); ++i) names.add(c.text(2) + i);
    Profile profile = of(Profile.class, "profile", c.text(1));
    for (String name : names) profile.addLayer(name, layer, option);
  }

  private Schedule schedule(Command c, String argument) {
    if (c.text(2).equals("open")) return Schedule.openEnded(Long.parseLong(argument),
        LayerFlag.NEEDS_INPUT | LayerFlag.DETERMINISTIC);
    Profile profile = of(Profile.class, "profile", c.text(3));
    return switch (c.text(2)) {
      case "segments" -> Schedule.segments(profile, Stream.of(argument.split(",")).mapToLong(Long::parseLong).toArray());
      case "strategy" -> Schedule.fromStrategy(profile, of(Strategy.class, "strategy", argument));
      default -> Schedule.create(profile, argument.isEmpty() ? c.text(2) : c.text(2) + ":" + argument);
    };
  }

  private static List<String> verify(Schedule schedule, Profile profile) {
    PlanReport n = schedule.verify(profile);
    return line("actions", n.actions(), "forwards", n.forwards(), "recomputed", n.recomputedForwards(), "peak", n.peakBytes()[0],
        "at",
        n.peakAction(), "seconds", exact(n.stepSeconds()), "again", exact(n.recomputedSeconds()), "reserved",
            schedule.reservedBytes(profile));
  }

  static String scope(MemoryScopeStats n) {
    return joined("depth", n.depth(), "start", n.startBytes(), "peak", n.peakBytes(), "net", n.netBytes(), "allocated",
        n.totalAllocatedBytes());
  }

  String show(Object object) {
    if (object instanceof Clock clock) return joined(clock.nowNs());
    if (object instanceof MemoryScope scope) return scope(scope.stats());
    if (object instanceof Profile profile) return joined("layers", profile.layerCount(), "input", profile.inputBytes());
    if (object instanceof Schedule schedule) {
      return joined(schedule.name(), "layers", schedule.layerCount().isPresent() ? schedule.layerCount().getAsLong() : "open");
    }
    if (object instanceof Strategy strategy) {
      StrategyCounters n = strategy.counters();
      return joined(strategy.name(), "asked", n.askedLayers(), "chosen", n.chosenLayers(), "bytes", n.chosenBytes(),
          CHOSEN.get(strategy.chosen().number()));
    }
    if (object instanceof MemoryTracker tracker) {
      MemoryStats n = tracker.stats();
      return joined("current", n.currentBytes(), "peak", n.peakBytes(), "allocated", n.totalAllocatedBytes(), "freed",
          n.totalFreedBytes(),
          "live", n.liveAllocations(), "allocations", n.allocations(), "frees", n.frees(), "average", n.averageBytes(), "not_found",
          n.notFound(), "refused", n.refused(), "failures", n.handlerFailures());
    }
    if (object instanceof Tensor tensor) {
      var bytes = tensor.buffer();
      long checksum = 0;
      for (int i = 0; i < bytes.capacity(); ++i) checksum += (i + 1L) * (bytes.get(i) & 0xFF);
      return joined(tensor.dtype().safetensorsName(), printed(tensor.shape()), "elements", tensor.elements(), "bytes",
          tensor.bytes(), "checksum", checksum);
    }
    throw new Misuse("this object cannot be shown");
  }
}
