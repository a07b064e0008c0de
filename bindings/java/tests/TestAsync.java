import java.lang.ref.WeakReference;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.ckpt.*;

/** Saves and loads in the background. */
final class TestAsync {
  /** Storage, checkpoint, state and manager of one test. */
  private static final class Bench implements AutoCloseable {
    final TestStorage.Maps maps = new TestStorage.Maps();
    final Storage storage = Storage.custom("a map", maps);
    final FaultHandler once = new FaultHandler(new FaultHandlerOptions().maxAttempts(1));
    final CheckpointManager checkpoint = new CheckpointManager(storage, new CheckpointManagerOptions().faultHandler(once));
    final Tensor weight = Tensor.copyOf(new float[] {1, 2, 3});
    final State state = new State().add("model", "weight", weight);
    final AsyncManager manager;

    Bench(AsyncManagerOptions options, CheckpointTaskListener listener) {
      manager = new AsyncManager(checkpoint, options, listener);
    }

    Bench(AsyncManagerOptions options) {
      this(options, null);
    }

    Bench() {
      this(new AsyncManagerOptions());
    }

    /** Returns options of a task that begins only when the step ends. */
    CheckpointTask gated(long step, CheckpointTaskOptions how) {
      return manager.save(state, new SaveOptions().step(step), how.gateStep(step));
    }

    @Override
    public void close() {
      manager.close();
      state.close();
      weight.close();
      checkpoint.close();
      once.close();
      storage.close();
    }
  }

  static void testSaveAndLoad() throws Exception {
    try (Bench b = new Bench()) {
      CheckpointTask task = b.manager.save(b.state, 5);
      b.weight.fill(9); // the state was copied
      CheckpointTaskResult result = task.get();
      Check.that(result.success(), "success");
      Check.equal(5L, result.step());
      Check.equal(CheckpointTaskKind.SAVE, result.kind());
      Check.that(result.bytes() > 0 && !result.durable().isNegative(), result.toString());
      Check.equal(task.saved().name(), result.name());
      Check.equal(result, task.waitFor());
      Check.that(!task.staged().get().isNegative(), "staged");
      Check.equal(CheckpointTaskState.COMPLETED, task.info().state());
      Check.that(task.info().duration().isPresent(), "duration");
      CheckpointTask load = b.manager.load(b.state);
      Check.equal(5L, load.join().step());
      Check.equal(5L, load.loaded().step());
      Check.equal(6.0, b.weight.sum());
      Check.equal(2L, b.manager.stats().completedTasks());
      Check.equal(List.of(task.id(), load.id()),
          b.manager.list(CheckpointTaskList.ENDED).stream().map(CheckpointTaskInfo::id).toList());
      Check.raises(CkptNotFoundException.class, "", () -> b.manager.task(12345));
      Check.raises(CkptInvalidStateException.class, "", load::saved);
    }
  }

  static void testFailuresRaiseWhenAwaitedAndAreResultsWhenWaitedFor() {
    try (Bench b = new Bench()) {
      b.maps.failWrites = 1000;
      CheckpointTask task = b.manager.save(b.state, 1);
      CheckpointTaskResult result = task.waitFor(Duration.ofSeconds(60));
      Check.equal(CheckpointTaskState.FAILED, result.state());
      Check.equal(Status.IO, result.status());
      Check.that(result.error().contains("the cable is out"), result.error());
      Check.raises(CkptIoException.class, "the cable is out", result::orThrow);
      ExecutionException raised = Check.raises(ExecutionException.class, "the cable is out", task::get);
      Check.that(raised.getCause() instanceof CkptIoException, "cause");
      Check.that(task.isCompletedExceptionally(), "exceptionally");
      b.maps.failWrites = 0;
      Check.that(b.manager.save(b.state, 2).join().success(), "the next one");
    }
  }

  static void testUnreceivedErrorsAreThrownOnce() {
    Bench b = new Bench();
    b.maps.failWrites = 1000;
    CheckpointTask unseen = b.manager.save(b.state, 1);
    while (b.manager.task(unseen.id()).state() != CheckpointTaskState.FAILED) Thread.onSpinWait();
    Check.raises(CkptIoException.class, "the cable is out", () -> b.manager.save(b.state, 2));
    CheckpointTask watched = b.manager.save(b.state, 3);
    Check.raises(Exception.class, "the cable is out", watched::join);
    b.manager.save(b.state, 4);
    Check.raises(CkptIoException.class, "the cable is out", b.manager::close);
    b.close(); // nothing left to throw
    Check.raises(CkptInvalidStateException.class, "closed", () -> b.manager.save(b.state, 5));
  }

  /** Whether the task ends before, during or after the call that waits for it, the manager has nothing left to throw. */
  static void testAFailureThatAFutureHasThrownIsReceived() {
    try (Bench b = new Bench()) {
      b.maps.failWrites = Integer.MAX_VALUE;
      long typical = 0; // nanoseconds from the return of a save to the end of its task
      for (int i = 0; i < 800; ++i) {
        CheckpointTask task = b.manager.save(b.state, i);
        long begin = System.nanoTime();
        long pause = typical * (i % 40 + 80) / 100;
        while (i % 4 > 0 && System.nanoTime() - begin < pause) Thread.onSpinWait();
        if (i % 4 == 0) while (!task.isDone()) Thread.onSpinWait();
        if (i % 4 == 0) typical = System.nanoTime() - begin;
        if (i % 4 <= 1) Check.raises(CompletionException.class, "the cable is out", task::join);
        if (i % 4 == 2) Check.raises(ExecutionException.class, "the cable is out", task::get);
        if (i % 4 == 3) Check.raises(CompletionException.class, "the cable is out", () -> task.thenApply(result -> 1).join());
      }
      CheckpointTask task = b.manager.save(b.state, 800);
      while (!task.isDone()) Thread.onSpinWait();
      Check.raises(CompletionException.class, "the cable is out", () -> task.getNow(null));
    }
  }

  static void testListenersAndProgress() throws Exception {
    List<String> all = Collections.synchronizedList(new ArrayList<>());
    CheckpointTaskListener listener = new CheckpointTaskListener() {
      @Override
      public void staged(long id, Duration stall) {
        all.add("staged " + id);
      }

      @Override
      public void progress(long id, long doneBytes, long totalBytes) {
        Check.that(doneBytes <= totalBytes, "progress");
        if (doneBytes == totalBytes) all.add("written " + id);
      }

      @Override
      public void ended(CheckpointTaskResult result) {
        all.add("ended " + result.id() + " " + result.state());
        throw new IllegalStateException("listeners may throw");
      }
    };
    AtomicInteger own = new AtomicInteger();
    try (Bench b = new Bench(new AsyncManagerOptions().workers(2).capacity(3).drainTimeout(Duration.ofMinutes(1)), listener)) {
      CheckpointTask task = b.manager.save(b.state, new SaveOptions(), new CheckpointTaskOptions(), new CheckpointTaskListener() {
            @Override
            public void ended(CheckpointTaskResult result) {
              Check.raises(CkptInvalidStateException.class, "", () -> b.manager.save(b.state, 9)); // it would wait for itself
              own.incrementAndGet();
            }
          }, null);
      task.get();
      b.manager.waitAll(Duration.ofMinutes(1));
      Check.equal(List.of("staged " + task.id(), "written " + task.id(), "ended " + task.id() + " COMPLETED"), List.copyOf(all));
      Check.equal(1, own.get());
    }
  }

  static void testCancelQueueAndPriorities() throws Exception {
    try (Bench b = new Bench(new AsyncManagerOptions().capacity(2))) {
      CheckpointTask first = b.gated(1, new CheckpointTaskOptions());
      CheckpointTask second = b.gated(2, new CheckpointTaskOptions().mode(StagingMode.BORROW).priority(Priority.HIGH));
      Check.raises(CkptQueueFullException.class, "2", () ->
          b.manager.save(b.state, new SaveOptions(), new CheckpointTaskOptions().whenFull(WhenFull.REFUSE)));
      Check.raises(CkptQueueFullException.class, "", () ->
          b.manager.save(b.state, new SaveOptions(), new CheckpointTaskOptions().timeout(Duration.ofMillis(1))));
      Check.raises(java.util.concurrent.TimeoutException.class, "", () -> second.get(1, TimeUnit.MILLISECONDS));
      Check.equal(2, b.manager.list(CheckpointTaskList.LIVE).size());
      CheckpointTask dropper = b.gated(4, new CheckpointTaskOptions().whenFull(WhenFull.DROP_OLDEST));
      Check.equal(CheckpointTaskState.REJECTED, first.waitFor().state());
      Check.raises(ExecutionException.class, "", first::get);
      Check.that(second.cancel(true), "cancelled");
      Check.that(second.cancel(true), "it is cancelled");
      Check.equal(CheckpointTaskState.CANCELLED, second.waitFor().state());
      Check.raises(Exception.class, "", second::join);
      Check.equal(CheckpointTaskState.QUEUED, b.manager.task(dropper.id()).state());
      Check.raises(CkptNotFoundException.class, "", () -> b.manager.cancel(777));
      b.manager.endStep(4);
      Check.equal(4L, dropper.get().step());
      AsyncManagerStats stats = b.manager.stats();
      Check.equal(1L, stats.cancelledTasks());
      Check.that(stats.rejectedTasks() >= 1, stats.toString());
      Check.equal(0L, stats.liveTasks());
    }
  }

  /** Checks the contract of {@link java.util.concurrent.Future} for a cancelled task, as soon as the call has returned true. */
  static void testCancelledTasksAreCancelledFutures() throws Exception {
    try (Bench b = new Bench()) {
      CheckpointTask task = b.gated(1, new CheckpointTaskOptions());
      CompletableFuture<CheckpointTaskResult> dependent = task.thenApply(result -> result);
      Check.that(!task.isDone() && !task.isCancelled(), "not yet");
      Check.that(task.cancel(true), "cancelled");
      Check.that(task.isCancelled() && task.isDone() && task.isCompletedExceptionally(), "a cancelled future");
      Check.raises(CancellationException.class, "", task::get);
      Check.raises(CancellationException.class, "", task::join);
      Check.raises(CancellationException.class, "", () -> task.getNow(null));
      Check.raises(CompletionException.class, "", dependent::join);
      Check.equal(CheckpointTaskState.CANCELLED, task.waitFor().state());
      // Cancelled by others: the manager's call, and its close.
      CheckpointTask byId = b.gated(2, new CheckpointTaskOptions());
      Check.that(b.manager.cancel(byId.id()), "by its id");
      Check.raises(CancellationException.class, "", byId::get); // since JDK 25, "get" with the first one as its cause
      Check.that(byId.isCancelled(), "a cancelled future too");
      CheckpointTask byEnd = b.gated(3, new CheckpointTaskOptions());
      b.manager.close(CloseMode.CANCEL, null);
      Throwable raised = Check.raises(CancellationException.class, "", byEnd::join);
      while (raised.getCause() != null) raised = raised.getCause(); // JDK 25 wraps the exception in another of its class
      Check.that(raised instanceof CkptCancelledException, "the library's reason is the cause");
      Check.that(byEnd.isCancelled(), "by the end of the manager");
    }
    try (Bench b = new Bench()) {
      CheckpointTask done = b.manager.save(b.state, 1);
      Check.equal(1L, done.get().step());
      Check.that(!done.cancel(true) && !done.isCancelled(), "what is done stays done");
    }
    try (Bench b = new Bench(new AsyncManagerOptions().history(1))) {
      CheckpointTask forgotten = b.manager.save(b.state, 1);
      b.manager.save(b.state, 2);
      b.manager.waitAll(null);
      Check.that(!forgotten.cancel(true) && !forgotten.isCancelled(), "unknown to the manager by now");
    }
  }

  static void testTimeouts() throws Exception {
    try (Bench b = new Bench()) {
      b.maps.hold = new CountDownLatch(1);
      CheckpointTask task = b.manager.save(b.state, new SaveOptions(), new CheckpointTaskOptions().mode(StagingMode.BORROW));
      Check.raises(CkptTimeoutException.class, "", () -> task.waitFor(Duration.ofMillis(1)));
      Check.raises(CkptTimeoutException.class, "", () -> task.waitStaged(Duration.ZERO));
      Check.raises(CkptTimeoutException.class, "", () -> b.manager.waitAllStaged(Duration.ZERO));
      Check.raises(CkptTimeoutException.class, "", () -> b.manager.waitAll(Duration.ZERO));
      b.maps.hold.countDown();
      b.manager.waitAllStaged(null);
      Check.that(task.waitFor().success(), "in the end");
    }
  }

  static void testDependentsMayUseTheManager() throws Exception {
    try (Bench b = new Bench()) {
      CompletableFuture<Long> steps = b.manager.save(b.state, 1).thenApply(result -> {
            b.manager.waitAll(null); // not run on a thread of the manager
            return b.manager.save(b.state, 2).join().step() + result.step();
          });
      Check.equal(3L, steps.get());
      Check.equal(CompletableFuture.class, steps.getClass());
      CompletableFuture<Void> both = CompletableFuture.allOf(b.manager.save(b.state, 3), b.manager.save(b.state, 4));
      both.get();
      Check.equal(4, b.checkpoint.list().size());
    }
  }

  static void testManyTasksOfManyThreads() throws Exception {
    try (Bench b = new Bench(new AsyncManagerOptions().capacity(4))) {
      AtomicLong completed = new AtomicLong();
      List<Thread> threads = new ArrayList<>();
      for (int t = 0; t < 3; ++t) {
        int base = t * 100;
        threads.add(new Thread(() -> {
              for (int i = 0; i < 20; ++i) {
                CheckpointTaskOptions wait = new CheckpointTaskOptions().whenFull(WhenFull.WAIT);
                if (b.manager.save(b.state, new SaveOptions().step(base + i), wait).join().success()) completed.incrementAndGet();
              }
            }));
      }
      for (Thread thread : threads) thread.start();
      for (Thread thread : threads) thread.join();
      Check.equal(60L, completed.get());
    }
  }

  static void testSources() throws Exception {
    try (Bench b = new Bench(); Tensor elsewhere = Tensor.foreign(0x1000, DType.U8, 5); State state = new State().add("device",
        "t", elsewhere)) {
      CheckpointTaskSource source = (group, name, address, offset, buffer) -> {
        Check.equal("device/t at 4096", group + "/" + name + " at " + address);
        for (int i = 0; i < buffer.capacity(); ++i) buffer.put(i, (byte) (offset + i + 1));
      };
      b.manager.save(state, new SaveOptions().step(1), new CheckpointTaskOptions(), null, source).get();
      try (Reader reader = b.checkpoint.reader(null, Verify.FULL); Tensor read = reader.read("t")) {
        Check.equal((byte) 5, read.buffer().get(4));
      }
      Check.raises(CkptCallbackException.class, "no such device", () -> b.manager.save(state, new SaveOptions().step(2),
          new CheckpointTaskOptions(), null, (group, name, address, offset, buffer) -> {
                throw new IllegalStateException("no such device");
              }).waitFor().orThrow());
    }
  }

  /** At the end of a try-with-resources, the failure of a save is added to the exception of the body, or thrown itself. */
  static void testTryWithResourcesLosesNoFailure() throws Exception {
    try (Bench b = new Bench(); Tensor elsewhere = Tensor.foreign(0x1000, DType.U8, 5); State state = new State().add("device",
        "t", elsewhere)) {
      CheckpointTaskOptions deferred = new CheckpointTaskOptions().mode(StagingMode.DEFERRED);
      CheckpointTaskSource failing = (group, name, address, offset, buffer) -> {
        throw new IllegalStateException("no such device");
      };
      Throwable thrown = Check.raises(IllegalArgumentException.class, "of the body", () -> {
            try (AsyncManager manager = new AsyncManager(b.checkpoint)) {
              manager.save(state, new SaveOptions().step(1), deferred, null, failing);
              throw new IllegalArgumentException("of the body");
            }
          });
      Check.equal(1, thrown.getSuppressed().length);
      Check.that(thrown.getSuppressed()[0] instanceof CkptCallbackException, "the failure: " + thrown.getSuppressed()[0]);
      Check.raises(CkptCallbackException.class, "no such device", () -> {
            try (AsyncManager manager = new AsyncManager(b.checkpoint)) {
              manager.save(state, new SaveOptions().step(1), deferred, null, failing);
            }
          });
    }
  }

  /** The task keeps everything alive, including the manager. */
  static void testUnreferencedTasksAndManagersContinue() throws Exception {
    CountDownLatch ended = new CountDownLatch(1);
    WeakReference<Object> weak = lost(ended);
    while (ended.getCount() > 0) {
      System.gc();
      if (ended.await(10, TimeUnit.MILLISECONDS)) break;
    }
    Check.collected("the manager is not released", () -> weak.get() == null);
  }

  private static WeakReference<Object> lost(CountDownLatch ended) {
    Bench b = new Bench();
    for (int i = 0; i < 5; ++i) {
      int step = i;
      b.manager.save(b.state, new SaveOptions().step(i), new CheckpointTaskOptions(), new CheckpointTaskListener() {
            @Override
            public void ended(CheckpointTaskResult result) {
              if (step == 4) ended.countDown();
            }
          }, null);
    }
    return new WeakReference<>(b.manager);
  }

  static void testShutdown() throws Exception {
    try (Bench b = new Bench()) {
      b.maps.hold = new CountDownLatch(1);
      CheckpointTask running = b.manager.save(b.state, 1); // not begun until the other one was cancelled
      while (running.info().state() == CheckpointTaskState.QUEUED) Thread.onSpinWait();
      CheckpointTask queued = b.manager.save(b.state, 2);
      queued.whenComplete((result, error) -> b.maps.hold.countDown());
      b.manager.close(CloseMode.CANCEL, null);
      Check.equal(CheckpointTaskState.CANCELLED, queued.waitFor().state());
      b.manager.close(CloseMode.DRAIN, Duration.ZERO);
      Check.raises(CkptClosedException.class, "", () -> b.manager.save(b.state, 2));
    }
  }

  static void testTimesOfDay() throws Exception {
    Instant before = Instant.now().minusSeconds(60); // the system's clock may be adjusted slightly meanwhile
    try (Bench b = new Bench()) {
      CheckpointTask gated = b.gated(1, new CheckpointTaskOptions());
      CheckpointTaskInfo queued = gated.info();
      Check.that(queued.queuedUtc().isAfter(before) && queued.queuedUtc().isBefore(before.plusSeconds(3600)), queued.toString());
      Check.that(queued.startedUtc().isEmpty() && queued.endedUtc().isEmpty() && queued.duration().isEmpty(), queued.toString());
      b.manager.endStep(1);
      gated.waitFor();
      CheckpointTaskInfo ended = gated.info();
      Check.that(!ended.startedUtc().get().isBefore(queued.queuedUtc()), ended.toString());
      Check.that(!ended.endedUtc().get().isBefore(ended.startedUtc().get()), ended.toString());
      Check.that(!ended.duration().get().isNegative(), "duration");
    }
  }

  /** A full queue makes the caller wait. */
  static void testAFullQueueWaits() throws Exception {
    Check.equal(WhenFull.WAIT, new CheckpointTaskOptions().whenFull());
    Check.equal(Duration.ofSeconds(60), new CheckpointTaskOptions().timeout());
    try (Bench b = new Bench(new AsyncManagerOptions().capacity(1))) {
      CheckpointTask first = b.gated(1, new CheckpointTaskOptions());
      Thread ends = new Thread(() -> b.manager.endStep(1));
      ends.start();
      CheckpointTask second = b.manager.save(b.state, 2);
      Check.equal(2L, second.get().step());
      Check.equal(1L, first.get().step());
      ends.join();
      Check.equal(List.of(1L, 2L), b.manager.list(CheckpointTaskList.ENDED).stream().map(CheckpointTaskInfo::step).toList());
    }
  }

  public static void main(String[] arguments) {
    Check.run(TestAsync.class);
  }
}
