package org.ckpt;

import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * Decides layer by layer whether to checkpoint. Synchronized. Wherever layers are named, a name may be a glob: * stands for any
 * string, ? for one character.
 */
public class Strategy extends StrategyMethods implements CheckpointStrategy {
  Strategy(Into<long[]> create) {
    this(number(create));
  }

  Strategy(long address) {
    super(address);
  }

  /**
   * Creates a strategy from text.
   *
   * @param text "interval:2", "any(size:1MiB,interval:8)", ...
   */
  public Strategy(String text) {
    this(out -> Native.ckpt_strategy_create(text, out));
  }

  /**
   * Creates a strategy from text, with options and children, which text cannot contain.
   *
   * @param text "any(memory-aware:0.8,$0)", ...
   * @param options used by the memory-aware strategies of the text
   * @param children the strategies $0, $1, ... of the text
   */
  public Strategy(String text, StrategyOptions options, CheckpointStrategy... children) {
    this(created(text, options, all(Objects.requireNonNull(children, "children"))));
  }

  private static Into<long[]> created(String text, StrategyOptions options, Strategy[] children) {
    return out -> options.with(struct -> Native.ckpt_strategy_create_with_options(text, struct, children, out));
  }

  /**
   * Checkpoints every n-th layer, beginning with layer 0.
   *
   * @param interval at least 1; 2 is usual
   * @return the strategy
   */
  public static Strategy interval(long interval) {
    return new Strategy("interval:" + interval);
  }

  /**
   * Checkpoints layers that are named and not excluded.
   *
   * @param names names or globs
   * @param excluded names or globs
   * @return the strategy
   */
  public static Strategy selective(Collection<String> names, Collection<String> excluded) {
    return new Strategy(listed("selective", names.stream().map(Strategy::quoted), excluded));
  }

  /**
   * Checkpoints activations of at least {@code thresholdBytes}.
   *
   * @param thresholdBytes at least 1; 1 MiB is usual
   * @param excluded names or globs
   * @return the strategy
   */
  public static Strategy sizeBased(long thresholdBytes, Collection<String> excluded) {
    return new Strategy(listed("size", Stream.of(Long.toString(thresholdBytes)), excluded));
  }

  /**
   * Checkpoints every n-th layer; n decreases while memory is short.
   *
   * @param maxShare of the memory, in (0, 1]; 0.8 is usual
   * @param tracker its live bytes are compared; null: those of the executor or the process
   * @param totalBytes total memory; 0: the memory available to the process
   * @param clock null: the monotonic clock
   * @return the strategy
   */
  public static Strategy memoryAware(double maxShare, MemoryTracker tracker, long totalBytes, Clock clock) {
    return new Strategy("memory-aware:" + maxShare, new StrategyOptions().tracker(tracker).totalBytes(totalBytes).clock(clock));
  }

  /**
   * Checkpoints large, rarely used and late layers, after observing the first ones, with default constants.
   *
   * @param excluded names or globs
   * @return the strategy
   */
  public static Strategy smart(Collection<String> excluded) {
    return smart(1.5, 2, 0.7, excluded);
  }

  /**
   * Checkpoints large, rarely used and late layers, after observing the first ones.
   *
   * @param largeFactor layers with more than this many times the mean bytes are chosen
   * @param rareAccesses layers accessed fewer times than this are chosen
   * @param lateShare layers with an index beyond this share of the known layers are chosen
   * @param excluded names or globs
   * @return the strategy
   */
  public static Strategy smart(double largeFactor, long rareAccesses, double lateShare, Collection<String> excluded) {
    return new Strategy(listed("smart", Stream.of(largeFactor, rareAccesses, lateShare).map(Object::toString), excluded));
  }

  /**
   * Checkpoints a layer when at least one child does.
   *
   * @param children at least one
   * @return the strategy
   */
  public static Strategy anyOf(CheckpointStrategy... children) {
    return new Strategy("any" + numbered(List.of(), children.length), new StrategyOptions(), children);
  }

  /**
   * Checkpoints a layer when all children do.
   *
   * @param children at least one
   * @return the strategy
   */
  public static Strategy allOf(CheckpointStrategy... children) {
    return new Strategy("all" + numbered(List.of(), children.length), new StrategyOptions(), children);
  }

  /**
   * Checkpoints a layer when the child does not.
   *
   * @param child the other strategy
   * @return the strategy
   */
  public static Strategy notOf(CheckpointStrategy child) {
    return new Strategy("not($0)", new StrategyOptions(), child);
  }

  /**
   * Uses the child of the first rule that matches a layer.
   *
   * @param rules tried in this order
   * @param fallback for layers that no rule matches
   * @return the strategy
   */
  public static Strategy firstOf(List<StrategyRule> rules, CheckpointStrategy fallback) {
    List<String> layers = rules.stream().map(rule -> quoted(rule.layers()) + "=").toList();
    Stream<CheckpointStrategy> children = Stream.concat(rules.stream().map(StrategyRule::strategy), Stream.of(Objects.requireNonNull(fallback, "fallback")));
    return new Strategy("first" + numbered(layers, layers.size() + 1), new StrategyOptions(), children.toArray(CheckpointStrategy[]::new));
  }

  // ---- Pieces of text ----

  /** Quotes a name or glob as one argument, so that it may contain any character. */
  private static String quoted(String name) {
    return '"' + UNESCAPED_QUOTE.matcher(name).replaceAll(found -> found.group(1) == null ? "\\\\\"" : Matcher.quoteReplacement(found.group())) + '"';
  }

  private static final Pattern UNESCAPED_QUOTE = Pattern.compile("(\\\\.)|\"", Pattern.DOTALL);

  private static String listed(String kind, Stream<String> arguments, Collection<String> excluded) {
    String list = Stream.concat(arguments, excluded.stream().map(name -> "!" + quoted(name))).collect(Collectors.joining(","));
    return list.isEmpty() ? kind : kind + ":" + list;
  }

  /** "(a=$0,$1)" */
  private static String numbered(List<String> before, int count) {
    return IntStream.range(0, count).mapToObj(i -> (i < before.size() ? before.get(i) : "") + "$" + i)
        .collect(Collectors.joining(",", "(", ")"));
  }

  /**
   * Creates a strategy that calls a custom one.
   *
   * @param name the result of {@link #name}
   * @param strategy pinned as long as the library needs it
   * @return the strategy
   */
  public static Strategy custom(String name, CheckpointStrategy strategy) {
    NativeStrategyFunctions functions = new NativeStrategyFunctions() {
      @Override
      public boolean decide(String layer_name, int dtype, long[] shape, long bytes, long layer_index) {
        TensorSpec activation = new TensorSpec(DType.of(dtype), shape);
        return strategy.shouldCheckpoint(new StrategyQuestion(activation, layer_name, bytes, layer_index));
      }

      @Override
      public void reset() {
        strategy.reset();
      }

      @Override
      public void access(String layer_name) {
        strategy.observeAccess(layer_name);
      }
    };
    return new Strategy(out -> Native.ckpt_strategy_create_custom(name, functions.pinned(), out));
  }

  /** Returns a strategy that the library can query; a custom one has the name of its class. */
  static Strategy of(CheckpointStrategy strategy) {
    return strategy == null || strategy instanceof Strategy ? (Strategy) strategy : custom(named(strategy), strategy);
  }

  private static String named(CheckpointStrategy strategy) {
    String name = strategy.getClass().getSimpleName();
    return name.isEmpty() ? "custom" : name;
  }

  private static Strategy[] all(CheckpointStrategy[] strategies) {
    return Arrays.stream(strategies).map(Strategy::of).toArray(Strategy[]::new);
  }

  // ---- Custom kinds ----

  /**
   * Registers a kind for the text form of strategies.
   *
   * @param name letters, digits, '-', '_' and '.'
   * @param factory pinned until {@link #unregister}
   * @throws CkptAlreadyExistsException for a known kind
   */
  public static void register(String name, StrategyFactory factory) {
    Objects.requireNonNull(factory, "factory");
    Native.ckpt_strategy_register(name, new NativeStrategyFactory() {
      @Override
      public NativeObject make(String arguments) {
        Strategy created = of(factory.make(arguments));
        return created == null ? null : new LentObject(created.retained());
      }
    }.pinned());
  }

  /** {@return the kinds that text can name} */
  public static List<String> knownKinds() {
    return List.of(Native.ckpt_strategy_get_known_kinds().split(", "));
  }

  // ---- Using ----

  /**
   * Returns whether to checkpoint one layer.
   *
   * @param layerName not blank
   * @param activation only its type and shape are read
   * @param layerIndex at least 0
   * @return whether to checkpoint it
   */
  public boolean shouldCheckpoint(String layerName, Tensor activation, long layerIndex) {
    return truth(out -> Native.ckpt_strategy_should_checkpoint(this, layerName, activation, layerIndex, out));
  }

  /**
   * Returns whether to checkpoint one layer, by the type and shape of its activation.
   *
   * @param layerName not blank
   * @param activation its type and shape
   * @param layerIndex at least 0
   * @return whether to checkpoint it
   */
  public boolean shouldCheckpoint(String layerName, TensorSpec activation, long layerIndex) {
    int dtype = activation.dtype().number();
    return truth(
        out -> Native.ckpt_strategy_should_checkpoint_shape(this, layerName, dtype, activation.shape(), layerIndex, out));
  }

  @Override
  public boolean shouldCheckpoint(StrategyQuestion question) {
    return shouldCheckpoint(question.layerName(), question.spec(), question.layerIndex());
  }

  /**
   * Returns the names, globs or rules that the strategy was created with.
   *
   * @param list which of them
   * @return the list; empty if its kind has none
   */
  public List<String> patterns(StrategyList list) {
    StrategyInfo info = info();
    long count = switch (list) {
      case NAMES -> info.namesCount();
      case EXCLUDED -> info.excludedCount();
      case RULES -> info.rulesCount();
      case UNKNOWN -> throw new CkptInvalidArgumentException("list is UNKNOWN");
    };
    return LongStream.range(0, count).mapToObj(
        i -> text(out -> Native.ckpt_strategy_get_pattern(this, list.number(), i, out))).toList();
  }

  /**
   * {@return new references to the strategies of which this one is composed, each to be closed; for first the fallback is the
   * last}
   */
  public List<Strategy> children() {
    return LongStream.range(0, info().childrenCount()).mapToObj(
        i -> new Strategy(number(out -> Native.ckpt_strategy_get_child(this, i, out)))).toList();
  }

  private long retained() {
    Native.ckpt_strategy_retain(this);
    return address();
  }
}
