import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import org.ckpt.*;

/** The five usages of an asynchronous checkpoint manager that its reference shows, in Java. */
final class TestUsage {
  private static final class Part implements Stateful {
    final Tensor tensor = Tensor.copyOf(new float[] {1, 2, 3});

    @Override
    public void list(State into) {
      into.add("main", "tensor", tensor);
    }
  }

  private static final Part MODEL = new Part();
  private static final Part OPTIMIZER = new Part();

  static void testBasicAsyncSave() throws Exception {
    try (Storage storage = Storage.memory(); CheckpointManager checkpoint = new CheckpointManager(storage);
        Compatibility.AsyncCheckpointManager manager = new Compatibility.AsyncCheckpointManager(checkpoint, 5)) {
      CheckpointTask task = manager.queueSaveAsync(MODEL, OPTIMIZER, new SaveOptions().prefix("async_model"));
      // training goes on
      CheckpointTaskResult result = task.get();
      Check.that(result.name().startsWith("async_model"), result.name());
      Check.that(result.success() && result.bytes() > 0, result.toString());
    }
  }

  static void testWithTimeout() throws Exception {
    try (Storage storage = Storage.memory(); CheckpointManager checkpoint = new CheckpointManager(storage);
        Compatibility.AsyncCheckpointManager manager = new Compatibility.AsyncCheckpointManager(checkpoint, 5)) {
      CheckpointTask gated = manager.queueSaveAsync(MODEL, OPTIMIZER, new SaveOptions());
      Check.that(manager.waitForCompletion(gated.id(), Duration.ofMinutes(10)).success(), "in time");
      Check.raises(CkptNotFoundException.class, "", () -> manager.waitForCompletion(999, Duration.ofMinutes(10)));
    }
  }

  static void testMonitorTaskStatus() {
    try (Storage storage = Storage.memory(); CheckpointManager checkpoint = new CheckpointManager(storage);
        Compatibility.AsyncCheckpointManager manager = new Compatibility.AsyncCheckpointManager(checkpoint, 5)) {
      CheckpointTask task = manager.queueSaveAsync(MODEL, null, new SaveOptions());
      CheckpointTaskState status = manager.getTaskStatus(task.id()).orElseThrow();
      Check.that(List.of(CheckpointTaskState.QUEUED, CheckpointTaskState.RUNNING,
          CheckpointTaskState.COMPLETED).contains(status),
          status.name());
      task.waitFor();
      Check.equal(CheckpointTaskState.COMPLETED, manager.getTaskStatus(task.id()).orElseThrow());
      Check.that(manager.getTaskStatus(12345).isEmpty(), "unknown");
    }
  }

  static void testCancelPendingCheckpoint() {
    try (Storage storage = Storage.memory(); CheckpointManager checkpoint = new CheckpointManager(storage);
        State state = new State();
        Compatibility.AsyncCheckpointManager manager = new Compatibility.AsyncCheckpointManager(checkpoint, 5)) {
      CheckpointTask pending = manager.save(state.add("model", MODEL), new SaveOptions(), new CheckpointTaskOptions().gateStep(1));
      Check.that(manager.cancelCheckpoint(pending.id()), "cancelled");
      Check.that(!manager.cancelCheckpoint(pending.id()), "no longer");
      Check.equal(CheckpointTaskState.CANCELLED, pending.waitFor().state());
      Throwable raised = Check.raises(CancellationException.class, "", pending::join);
      while (raised.getCause() != null) raised = raised.getCause(); // JDK 25 wraps the exception in another of its class
      Check.that(raised instanceof CkptCancelledException, String.valueOf(raised));
    }
  }

  static void testListActiveTasks() {
    try (Storage storage = Storage.memory(); CheckpointManager checkpoint = new CheckpointManager(storage);
        State state = new State();
        Compatibility.AsyncCheckpointManager manager = new Compatibility.AsyncCheckpointManager(checkpoint, 5)) {
      CheckpointTask pending = manager.save(state.add("model", MODEL), new SaveOptions().step(7),
          new CheckpointTaskOptions().gateStep(1));
      List<CheckpointTaskInfo> tasks = manager.getActiveTasks();
      Check.equal(1, tasks.size());
      Check.equal(pending.id(), tasks.get(0).id());
      Check.equal(CheckpointTaskKind.SAVE, tasks.get(0).kind());
      Check.that(tasks.get(0).queuedAtNs() <= Ckpt.monotonicNs(), "queued");
      manager.endStep(1);
      pending.waitFor();
      Check.equal(List.of(), manager.getActiveTasks());
    }
  }

  public static void main(String[] arguments) {
    Check.run(TestUsage.class);
  }
}
