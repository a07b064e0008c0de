package org.ckpt;

import java.util.Collection;
import java.util.List;

/** The fields of every kind of strategy, of which each kind reads its own: {@link Strategy#fromConfig}. */
public final class StrategyConfig {
  private String kind = "interval";
  private StrategyChosen chosen = StrategyChosen.DEFAULT;
  private long interval = 2;
  private Collection<String> names = List.of();
  private Collection<String> excluded = List.of();
  private long thresholdBytes = 1 << 20;
  private double maxShare = 0.8;
  private MemoryTracker tracker = null;
  private long totalBytes = 0;
  private Clock clock = null;
  private double largeFactor = 1.5;
  private long rareAccesses = 2;
  private double lateShare = 0.7;
  private List<Strategy> children = List.of();
  private List<String> rules = List.of();
  private String arguments = "";

  /** All defaults, which make Interval(2). */
  public StrategyConfig() {}

  /**
   * As in the text form, or a registered one. Default "interval".
   *
   * @param kind the value
   * @return this
   */
  public StrategyConfig kind(String kind) {
    this.kind = kind;
    return this;
  }

  /**
   * What a yes means. Default DEFAULT.
   *
   * @param chosen the value
   * @return this
   */
  public StrategyConfig chosen(StrategyChosen chosen) {
    this.chosen = chosen;
    return this;
  }

  /**
   * interval: every n-th layer. Default 2.
   *
   * @param interval the value
   * @return this
   */
  public StrategyConfig interval(long interval) {
    this.interval = interval;
    return this;
  }

  /**
   * selective: names or globs. Default none.
   *
   * @param names the value
   * @return this
   */
  public StrategyConfig names(Collection<String> names) {
    this.names = names;
    return this;
  }

  /**
   * selective, size, smart: names or globs. Default none.
   *
   * @param excluded the value
   * @return this
   */
  public StrategyConfig excluded(Collection<String> excluded) {
    this.excluded = excluded;
    return this;
  }

  /**
   * size: activations of at least so many bytes. Default 1 MiB.
   *
   * @param thresholdBytes the value
   * @return this
   */
  public StrategyConfig thresholdBytes(long thresholdBytes) {
    this.thresholdBytes = thresholdBytes;
    return this;
  }

  /**
   * memory-aware: of the memory, in (0, 1]. Default 0.8.
   *
   * @param maxShare the value
   * @return this
   */
  public StrategyConfig maxShare(double maxShare) {
    this.maxShare = maxShare;
    return this;
  }

  /**
   * memory-aware: null for the executor's or the process's bytes. Default none.
   *
   * @param tracker the value
   * @return this
   */
  public StrategyConfig tracker(MemoryTracker tracker) {
    this.tracker = tracker;
    return this;
  }

  /**
   * memory-aware: 0 for what the process may use. Default 0.
   *
   * @param totalBytes the value
   * @return this
   */
  public StrategyConfig totalBytes(long totalBytes) {
    this.totalBytes = totalBytes;
    return this;
  }

  /**
   * memory-aware: null for the monotonic clock. Default none.
   *
   * @param clock the value
   * @return this
   */
  public StrategyConfig clock(Clock clock) {
    this.clock = clock;
    return this;
  }

  /**
   * smart: above 0. Default 1.5.
   *
   * @param largeFactor the value
   * @return this
   */
  public StrategyConfig largeFactor(double largeFactor) {
    this.largeFactor = largeFactor;
    return this;
  }

  /**
   * smart: at least 0. Default 2.
   *
   * @param rareAccesses the value
   * @return this
   */
  public StrategyConfig rareAccesses(long rareAccesses) {
    this.rareAccesses = rareAccesses;
    return this;
  }

  /**
   * smart: 0 .. 1. Default 0.7.
   *
   * @param lateShare the value
   * @return this
   */
  public StrategyConfig lateShare(double lateShare) {
    this.lateShare = lateShare;
    return this;
  }

  /**
   * any, all, not, first: for first one for each rule, then the fallback. Default none.
   *
   * @param children the value
   * @return this
   */
  public StrategyConfig children(List<Strategy> children) {
    this.children = children;
    return this;
  }

  /**
   * first: names, globs or index ranges. Default none.
   *
   * @param rules the value
   * @return this
   */
  public StrategyConfig rules(List<String> rules) {
    this.rules = rules;
    return this;
  }

  /**
   * Of a registered kind. Default "".
   *
   * @param arguments the value
   * @return this
   */
  public StrategyConfig arguments(String arguments) {
    this.arguments = arguments;
    return this;
  }

  void create(long[] out) {
    Native.ckpt_strategy_create_from_config(
        kind, chosen.number(), interval, Strategy.texts(names), Strategy.texts(excluded), thresholdBytes, maxShare, tracker,
        totalBytes, clock, largeFactor, rareAccesses, lateShare, children.toArray(new Strategy[0]), rules.toArray(new String[0]),
        arguments, out);
  }
}
