package org.ckpt;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Counts allocations of checkpoints: live, peak and total bytes, per layer; scopes, limit, events, export. Layers are named by a
 * string, or by the number that {@link #addLayer} returns, which is faster. Synchronized.
 *
 * <p>Listeners that hold the tracker itself keep it alive: end their subscription, or close the tracker.
 */
public final class MemoryTracker extends MemoryTrackerMethods {
  private final ConcurrentHashMap<String, Integer> numbers = new ConcurrentHashMap<>(); // layers that calls have named

  MemoryTracker(long address) {
    super(address);
  }

  /** Creates a tracker with all defaults. */
  public MemoryTracker() {
    this(new MemoryTrackerOptions());
  }

  /**
   * Creates a tracker.
   *
   * @param options the options of the tracker
   */
  public MemoryTracker(MemoryTrackerOptions options) {
    this(number(out -> options.with(struct -> Native.ckpt_memory_tracker_create(struct, out))));
  }

  // ---- Layers ----

  /** Returns the number of a layer; adds the layer if its name is new. */
  private int numberOf(String name) {
    Integer known = numbers.get(Objects.requireNonNull(name, "name"));
    if (known != null && !isClosed()) return known;
    int number = addLayer(name);
    numbers.put(name, number);
    if (isClosed()) numbers.clear(); // by another thread, which has cleared them already
    return number;
  }

  private int known(String name) {
    return findLayer(name).orElseThrow(() -> noLayer(name));
  }

  private static CkptNotFoundException noLayer(String name) {
    return new CkptNotFoundException("name is \"" + name + "\"; unknown layer");
  }

  @Override
  public void close() {
    super.close();
    numbers.clear();
  }

  // ---- Recording ----

  /**
   * Records an allocation by the name of the layer, which is added if it is new.
   *
   * @param name the layer's name
   * @param bytes more than 0
   * @return the allocation's id, never 0
   */
  public long recordAllocation(String name, long bytes) {
    return recordAllocation(numberOf(name), bytes);
  }

  /**
   * Records an allocation by the name of the layer, unless the live total would exceed the limit.
   *
   * @param name the layer's name
   * @param bytes more than 0
   * @return the allocation's id; empty when the limit refuses it
   */
  public OptionalLong tryReserve(String name, long bytes) {
    return tryReserve(numberOf(name), bytes);
  }

  /**
   * Frees all live allocations of a layer by its name.
   *
   * @param name the layer's name
   * @return the number of allocations freed
   */
  public long freeLayer(String name) {
    OptionalInt layer = findLayer(name);
    if (layer.isEmpty()) countUnknown();
    return freeLayer(layer.orElseThrow(() -> noLayer(name)));
  }

  /** Counts a deallocation of an unknown layer in {@link MemoryStats#notFound}. */
  private void countUnknown() {
    try {
      freeLayer(-1);
    } catch (CkptNotFoundException counted) {
      return;
    }
  }

  // ---- Reading ----

  /**
   * Returns the statistics of a layer by its name.
   *
   * @param name the layer's name
   * @return the statistics
   */
  public MemoryLayerStats layerStats(String name) {
    return layerStats(known(name));
  }

  /**
   * Returns the totals and all layers at one moment.
   *
   * @param order of the layers
   * @return the snapshot
   */
  public MemorySnapshot snapshot(MemoryOrder order) {
    List<MemoryLayerStats> layers = new ArrayList<>();
    MemoryStats stats = MemoryStats.from(
        totals -> layers.addAll(
            values(
                Native.ckpt_memory_tracker_get_snapshot(this, order.number(), totals), MemoryLayerStats::of,
                ckpt_memory_layer_stats::close)));
    return new MemorySnapshot(stats, List.copyOf(layers));
  }

  /**
   * Returns the savings compared with storing everything.
   *
   * @param storeAllBytes bytes that storing everything takes
   * @return bytes and their share
   */
  public MemorySavings savings(long storeAllBytes) {
    long[] saved = new long[1];
    double fraction = real(out -> Native.ckpt_memory_tracker_get_savings(this, storeAllBytes, saved, out));
    return new MemorySavings(saved[0], fraction);
  }

  // ---- Scopes and limit ----

  /**
   * Opens a scope inside the innermost open one.
   *
   * @param name need not be unique
   * @return the scope, to be closed
   */
  public MemoryScope scope(String name) {
    return new MemoryScope(this, number(out -> Native.ckpt_memory_tracker_push_scope(this, name, out)));
  }

  /** {@return the limit; empty when there is none} */
  public Optional<MemoryLimit> limit() {
    long[] hysteresis = new long[1];
    long limit = number(out -> Native.ckpt_memory_tracker_get_limit(this, out, hysteresis));
    return limit == 0 ? Optional.empty() : Optional.of(new MemoryLimit(limit, hysteresis[0]));
  }

  // ---- Events ----

  /**
   * Calls a listener for every event of these kinds from now on.
   *
   * @param listener pinned until the subscription or the tracker ends
   * @param kinds none: all
   * @return the subscription; closing it ends it, and it need not be stored
   */
  public MemorySubscription subscribe(MemoryListener listener, MemoryEventKind... kinds) {
    if (listener == null) throw new CkptInvalidArgumentException("listener is null");
    Listener called = new Listener(listener);
    return new MemorySubscription(
        this, number(out -> Native.ckpt_memory_tracker_subscribe(this, sum(kinds), called.pinned(), out)));
  }

  /**
   * Collects events, to be polled. When the queue is full, new ones are dropped and counted.
   *
   * @param capacity 1 .. 2^24 events
   * @param kinds none: all
   * @return the queue
   */
  public MemoryEventQueue subscribeQueue(long capacity, MemoryEventKind... kinds) {
    return new MemoryEventQueue(
        this, number(out -> Native.ckpt_memory_tracker_subscribe_queue(this, sum(kinds), capacity, out)));
  }

  private static int sum(MemoryEventKind[] kinds) {
    if (kinds.length == 0) return MemoryEventKind.ALL.number();
    return Arrays.stream(kinds).mapToInt(MemoryEventKind::number).reduce(0, (a, b) -> a | b);
  }

  // ---- Export ----

  /** {@return the memory available to this process, including limits of control groups} */
  public static MemorySystem probe() {
    return MemorySystem.from(struct -> Native.ckpt_memory_probe(struct));
  }

  private static final class Listener extends NativeMemoryListener {
    private final MemoryListener listener;

    Listener(MemoryListener listener) {
      this.listener = listener;
    }

    /** Converts an event, with the current time of day, as events are delivered immediately. */
    @Override
    public void on_event(
        int kind, long sequence, long allocation, long bytes, long current_bytes, long peak_bytes, long limit_bytes, long at_ns,
        long utc_ns, String layer_name, boolean has_layer, int layer_id) {
      OptionalInt layerId = has_layer ? OptionalInt.of(layer_id) : OptionalInt.empty();
      listener.onEvent(
          new MemoryEvent(
              MemoryEventKind.of(kind), sequence, allocation, bytes, current_bytes, peak_bytes, limit_bytes, at_ns, layer_name,
              layerId, NativeObject.instant(utc_ns)));
    }
  }
}
