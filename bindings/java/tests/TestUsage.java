import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import org.ckpt.*;
import org.ckpt.compat.AsyncCheckpointManager;
import org.ckpt.compat.CheckpointTaskInfo;
import org.ckpt.compat.CheckpointTaskResult;

/** The five usage examples of the reference for asynchronous checkpoint managers, in Java. */
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
        AsyncCheckpointManager manager = new AsyncCheckpointManager(checkpoint, 5)) {
      long id = manager.queueSaveAsync(MODEL, OPTIMIZER, new SaveOptions().prefix("async_model"));
      // training continues
      CheckpointTaskResult result = manager.waitForCompletion(id, null);
      Check.that(result.checkpointPath().startsWith("async_model"), result.checkpointPath());
      Check.that(result.success() && result.error() == null && result.bytesWritten() > 0, result.toString());
    }
  }

  static void testWithTimeout() throws Exception {
    try (Storage storage = Storage.memory(); CheckpointManager checkpoint = new CheckpointManager(storage);
        AsyncCheckpointManager manager = new AsyncCheckpointManager(checkpoint, 5)) {
      long id = manager.queueSaveAsync(MODEL, OPTIMIZER, null);
      Check.that(manager.waitForCompletion(id, Duration.ofMinutes(10)).success(), "in time");
      Check.raises(CkptNotFoundException.class, "", () -> manager.waitForCompletion(999, Duration.ofMinutes(10)));
      Check.raises(CkptNotFoundException.class, "", () -> manager.waitForCompletion(0, null)); // means all tasks in C
    }
  }

  static void testMonitorTaskStatus() {
    try (Storage storage = Storage.memory(); CheckpointManager checkpoint = new CheckpointManager(storage);
        AsyncCheckpointManager manager = new AsyncCheckpointManager(checkpoint, 5)) {
      long id = manager.queueSaveAsync(MODEL, null, new SaveOptions());
      CheckpointTaskState status = manager.getTaskStatus(id).orElseThrow();
      Check.that(List.of(CheckpointTaskState.QUEUED, CheckpointTaskState.RUNNING,
          CheckpointTaskState.COMPLETED).contains(status),
          status.name());
      manager.waitForCompletion(id, null);
      Check.equal(CheckpointTaskState.COMPLETED, manager.getTaskStatus(id).orElseThrow());
      Check.that(manager.getTaskStatus(12345).isEmpty(), "unknown");
    }
  }

  static void testCancelPendingCheckpoint() {
    try (Storage storage = Storage.memory(); CheckpointManager checkpoint = new CheckpointManager(storage);
        State state = new State();
        AsyncCheckpointManager manager = new AsyncCheckpointManager(checkpoint, 5)) {
      CheckpointTask pending = manager.save(state.add("model", MODEL), new SaveOptions(), new CheckpointTaskOptions().gateStep(1));
      Check.that(manager.cancelCheckpoint(pending.id()), "cancelled");
      Check.that(!manager.cancelCheckpoint(pending.id()), "no longer");
      Check.that(!manager.cancelCheckpoint(12345), "unknown");
      Check.equal(CheckpointTaskState.CANCELLED, pending.waitFor().state());
      Throwable raised = Check.raises(CancellationException.class, "", pending::join);
      while (raised.getCause() != null) raised = raised.getCause(); // JDK 25 wraps the exception in another of its class
      Check.that(raised instanceof CkptCancelledException, String.valueOf(raised));
    }
  }

  static void testListActiveTasks() {
    try (Storage storage = Storage.memory(); CheckpointManager checkpoint = new CheckpointManager(storage);
        State state = new State();
        AsyncCheckpointManager manager = new AsyncCheckpointManager(checkpoint, 5)) {
      CheckpointTask pending = manager.save(state.add("model", MODEL), new SaveOptions().step(7),
          new CheckpointTaskOptions().gateStep(1));
      List<CheckpointTaskInfo> tasks = manager.getActiveTasks();
      Check.equal(1, tasks.size());
      Check.equal(pending.id(), tasks.get(0).id());
      Check.equal(CheckpointTaskKind.SAVE, tasks.get(0).type());
      Check.that(!tasks.get(0).queuedAt().isAfter(java.time.Instant.now().plusSeconds(3600)), "queued");
      Check.that(tasks.get(0).startedAt().isEmpty() && tasks.get(0).duration().isEmpty(), "not begun");
      manager.endStep(1);
      pending.waitFor();
      Check.equal(List.of(), manager.getActiveTasks());
    }
  }

  public static void main(String[] arguments) {
    Check.run(TestUsage.class);
  }
}
