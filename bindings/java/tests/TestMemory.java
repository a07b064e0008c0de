import java.lang.ref.WeakReference;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.ckpt.*;

/** The tracker, and risks of listeners: garbage collection, exceptions, threads, a million calls. */
final class TestMemory {
  static void testCounts() {
    try (Clock clock = Clock.manual(0); MemoryTracker tracker = new MemoryTracker(new MemoryTrackerOptions().clock(clock))) {
      int layer = tracker.addLayer("fc1");
      long first = tracker.recordAllocation(layer, 1000);
      tracker.recordAllocation("fc2", 500);
      Check.equal(1500L, tracker.stats().currentBytes());
      tracker.recordDeallocation(first);
      MemoryStats stats = tracker.stats();
      Check.equal(500L, stats.currentBytes());
      Check.equal(1500L, stats.peakBytes());
      Check.equal(2L, stats.layerCount());
      Check.equal(1000L, tracker.layerStats(layer).peakBytes());
      Check.equal(1000L, tracker.layerStats("fc1").totalFreedBytes());
      Check.equal(OptionalInt.empty(), tracker.findLayer("fc3"));
      Check.equal(OptionalInt.of(1), tracker.findLayer("fc2"));
      Check.raises(CkptNotFoundException.class, "", () -> tracker.recordDeallocation(first));
      MemorySnapshot snapshot = tracker.snapshot(MemoryOrder.CURRENT);
      Check.equal("fc2", snapshot.layers().get(0).name());
      Check.equal(500L, snapshot.stats().currentBytes());
      List<MemoryAllocation> live = tracker.allocations();
      Check.equal(1, live.size());
      Check.equal(500L, live.get(0).bytes());
      Check.equal(new MemorySavings(1500, 0.75), tracker.savings(2000));
      Check.equal(1L, tracker.freeLayer("fc2"));
      tracker.recordAllocation(layer, 1);
      Check.equal(1L, tracker.freeLayer(layer));
      tracker.resetStats();
      Check.equal(0L, tracker.stats().peakBytes());
    }
  }

  static void testLimitScopesExport() {
    try (MemoryTracker tracker = new MemoryTracker(); MemoryTracker same = tracker.share()) {
      Check.equal(Optional.empty(), tracker.limit());
      tracker.setLimit(1000, 100);
      Check.equal(Optional.of(new MemoryLimit(1000, 100)), same.limit());
      Check.that(tracker.tryReserve("a", 900).isPresent(), "fits");
      Check.that(tracker.tryReserve("a", 200).isEmpty(), "does not fit");
      Check.that(tracker.tryReserve(tracker.addLayer("a"), 200).isEmpty(), "does not fit by number");
      tracker.clearLimit();
      try (MemoryScope outer = tracker.scope("outer")) {
        try (MemoryScope inner = tracker.scope("inner")) {
          tracker.recordAllocation("a", 50);
          Check.equal(50L, inner.stats().netBytes());
          Check.raises(CkptInvalidStateException.class, "", outer::pop);
        }
        Check.equal(950L, outer.stats().peakBytes());
        Check.equal(50L, outer.pop().netBytes());
      }
      Check.that(tracker.json(0).contains("\"current_bytes\":950"), tracker.json(0));
      Check.that(tracker.prometheus(10).contains("ckpt_memory_current_bytes 950"), "prometheus");
    }
    Check.that(MemoryTracker.probe().totalBytes() > 0, "probe");
  }

  static void testEvents() {
    try (MemoryTracker tracker = new MemoryTracker()) {
      List<MemoryEvent> events = new ArrayList<>();
      MemorySubscription all = tracker.subscribe(events::add);
      MemoryEventQueue peaks = tracker.subscribeQueue(1, MemoryEventKind.NEW_PEAK);
      AtomicInteger limits = new AtomicInteger();
      tracker.subscribe(event -> limits.incrementAndGet(), MemoryEventKind.LIMIT_EXCEEDED);
      tracker.setLimit(150, 0);
      long id = tracker.recordAllocation("layer", 100);
      tracker.recordAllocation("layer", 100);
      tracker.recordDeallocation(id);
      Check.equal(List.of(MemoryEventKind.ALLOCATED, MemoryEventKind.NEW_PEAK, MemoryEventKind.ALLOCATED, MemoryEventKind.NEW_PEAK,
          MemoryEventKind.LIMIT_EXCEEDED, MemoryEventKind.FREED), events.stream().map(MemoryEvent::kind).toList());
      Check.equal("layer", events.get(0).layerName());
      Check.equal(id, events.get(0).allocation());
      Check.equal(200L, events.get(3).peakBytes());
      Check.equal(1, limits.get());
      Check.equal(100L, peaks.poll().get().peakBytes());
      Check.equal(Optional.empty(), peaks.poll());
      Check.equal(1L, peaks.droppedEvents());
      all.close();
      all.close();
      tracker.enableEvents(false);
      tracker.setPeakGranularity(1000);
      tracker.recordAllocation("layer", 1);
      Check.equal(6, events.size());
      Check.raises(CkptInvalidArgumentException.class, "listener", () -> tracker.subscribe(null));
    }
  }

  /** No Java object references the listener; the library keeps it alive until the subscription ends. */
  static void testListenersArePinnedUntilTheDestroyHook() throws Exception {
    AtomicInteger received = new AtomicInteger();
    MemoryTracker tracker = new MemoryTracker();
    WeakReference<MemoryListener> weak = subscribe(tracker, received);
    for (int i = 0; i < 5; ++i) System.gc();
    for (int i = 0; i < 1000; ++i) tracker.recordAllocation("layer", 1);
    Check.equal(1000, received.get());
    Check.that(weak.get() != null, "the listener went");
    tracker.close();
    Check.collected("the listener stays after the tracker", () -> weak.get() == null);
  }

  private static WeakReference<MemoryListener> subscribe(MemoryTracker tracker, AtomicInteger received) {
    MemoryListener listener = new MemoryListener() {
      @Override
      public void onEvent(MemoryEvent event) {
        received.incrementAndGet();
      }
    };
    tracker.subscribe(listener, MemoryEventKind.ALLOCATED);
    return new WeakReference<>(listener);
  }

  static void testUnreferencedTrackersAreReleased() throws Exception {
    AtomicInteger received = new AtomicInteger();
    WeakReference<MemoryListener> weak = lost(received);
    Check.collected("a lost tracker is not released", () -> weak.get() == null);
  }

  private static WeakReference<MemoryListener> lost(AtomicInteger received) {
    return subscribe(new MemoryTracker(), received);
  }

  static void testExceptionsOfListenersAreCounted() {
    try (MemoryTracker tracker = new MemoryTracker()) {
      tracker.subscribe(event -> {
            throw new IllegalStateException("a listener throws");
          }, MemoryEventKind.ALLOCATED);
      tracker.subscribe(event -> {
            throw new StackOverflowError("an Error, even");
          }, MemoryEventKind.ALLOCATED);
      tracker.recordAllocation("layer", 1);
      Check.equal(2L, tracker.stats().handlerFailures());
      Check.equal(1L, tracker.stats().currentBytes());
    }
  }

  static void testListenersMayUseTheTrackerAndEndThemselves() {
    try (MemoryTracker tracker = new MemoryTracker()) {
      AtomicLong seen = new AtomicLong();
      MemorySubscription[] own = new MemorySubscription[1];
      own[0] = tracker.subscribe(event -> {
            seen.addAndGet(tracker.stats().currentBytes());
            tracker.recordAllocation("inner", 5);
            own[0].unsubscribe();
          }, MemoryEventKind.ALLOCATED);
      tracker.recordAllocation("outer", 10);
      tracker.recordAllocation("outer", 10);
      Check.equal(10L, seen.get());
      Check.raises(CkptNotFoundException.class, "", own[0]::unsubscribe);
    }
  }

  static void testManyThreads() throws Exception {
    try (MemoryTracker tracker = new MemoryTracker()) {
      AtomicLong events = new AtomicLong();
      tracker.subscribe(event -> events.incrementAndGet(), MemoryEventKind.ALLOCATED, MemoryEventKind.FREED);
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < 4; ++i) {
        String layer = "layer" + i;
        threads.add(new Thread(() -> {
              for (int k = 0; k < 2000; ++k) tracker.recordDeallocation(tracker.recordAllocation(layer, 3));
            }));
      }
      for (Thread thread : threads) thread.start();
      for (Thread thread : threads) thread.join();
      Check.equal(16000L, events.get());
      Check.equal(0L, tracker.stats().currentBytes());
    }
  }

  static void testFourThreadsRecordByName() throws Exception {
    try (MemoryTracker tracker = new MemoryTracker()) {
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < 4; ++i)
        threads.add(new Thread(() -> {
              for (int k = 0; k < 10000; ++k) tracker.recordAllocation("layer" + k, 8);
            }));
      for (Thread thread : threads) thread.start();
      for (Thread thread : threads) thread.join();
      Check.equal(10000L, tracker.stats().layerCount());
      Check.equal(40000L, tracker.stats().allocations());
      Check.equal(32L, tracker.layerStats("layer9999").currentBytes());
    }
  }

  static void testAClosedTrackerRefersToNoNames() throws Exception {
    MemoryTracker tracker = new MemoryTracker();
    WeakReference<String> weak = named(tracker);
    System.gc();
    Check.that(weak.get() != null, "recording by name keeps the name");
    tracker.close();
    Check.collected("a closed tracker refers to a name", () -> weak.get() == null);
    Check.raises(CkptInvalidStateException.class, "closed", () -> tracker.recordAllocation("a", 8));
  }

  private static WeakReference<String> named(MemoryTracker tracker) {
    String name = new String("a");
    tracker.recordAllocation(name, 8);
    return new WeakReference<>(name);
  }

  /** Local references, strings and pinned objects must not accumulate in the heap or in the process. */
  static void testAMillionCallsLeaveMemoryFlat() throws Exception {
    try (MemoryTracker tracker = new MemoryTracker()) {
      AtomicLong calls = new AtomicLong();
      tracker.subscribe(event -> calls.addAndGet(event.layerName().length()), MemoryEventKind.ALLOCATED);
      run(tracker, 100_000);
      long before = residentKiB();
      run(tracker, 1_000_000);
      long grown = residentKiB() - before;
      Check.equal(5_500_000L, calls.get());
      Check.that(grown < 32 * 1024, "the process grew by " + grown + " KiB");
    }
  }

  /** The same for calls on the library's threads, which never return to Java: they must not keep references to callback arguments.
   * */
  static void testAMillionCallsOfTheLibrarysThreadsLeaveMemoryFlat() throws Exception {
    try (MemoryTracker tracker = new MemoryTracker(); WorkerPool pool = new WorkerPool(3)) {
      AtomicLong calls = new AtomicLong();
      tracker.subscribe(event -> calls.addAndGet(event.layerName().length()), MemoryEventKind.ALLOCATED);
      pool.run(100_000, part -> tracker.recordDeallocation(tracker.recordAllocation("layer", 8)));
      long before = residentKiB();
      pool.run(1_000_000, part -> tracker.recordDeallocation(tracker.recordAllocation("layer", 8)));
      long grown = residentKiB() - before;
      Check.equal(5_500_000L, calls.get());
      Check.that(grown < 32 * 1024, "the process grew by " + grown + " KiB");
    }
  }

  private static void run(MemoryTracker tracker, int calls) {
    for (int i = 0; i < calls; ++i) tracker.recordDeallocation(tracker.recordAllocation("layer", 8));
    System.gc();
  }

  static long residentKiB() throws Exception {
    for (String line : java.nio.file.Files.readAllLines(java.nio.file.Path.of("/proc/self/status"))) {
      if (line.startsWith("VmRSS:")) return Long.parseLong(line.replaceAll("[^0-9]", ""));
    }
    throw new AssertionError("no VmRSS");
  }

  static void testTimesOfDay() {
    Instant before = Instant.now().minusSeconds(60);
    Instant after = before.plusSeconds(3600);
    try (MemoryTracker tracker = new MemoryTracker()) {
      List<MemoryEvent> received = new ArrayList<>();
      tracker.subscribe(received::add);
      MemoryEventQueue queue = tracker.subscribeQueue(10);
      tracker.addLayer("idle");
      tracker.recordDeallocation(tracker.recordAllocation("layer", 8));
      tracker.setLimit(1, 0);
      tracker.recordAllocation("layer", 8);
      tracker.setLimit(2, 0); // below the live total: an event without a layer
      for (MemoryEvent event : List.of(received.get(0), queue.poll().get())) {
        Check.that(event.occurredUtc().isAfter(before) && event.occurredUtc().isBefore(after), event.toString());
        Check.equal(OptionalInt.of(1), event.layerId());
      }
      Check.that(received.stream().anyMatch(event -> event.layerId().isEmpty()), received.toString());
      MemoryStats stats = tracker.stats();
      Check.that(stats.takenUtc().isAfter(before) && stats.takenUtc().isBefore(after), stats.toString());
      Check.that(tracker.layerStats("layer").lastFreedUtc().get().isAfter(before), "freed");
      Check.equal(Optional.empty(), tracker.layerStats("idle").lastAllocatedUtc());
      try (MemoryScope scope = tracker.scope("s")) {
        Check.that(scope.stats().pushedUtc().isAfter(before), "pushed");
      }
    }
  }

  public static void main(String[] arguments) {
    Check.run(TestMemory.class);
  }
}
