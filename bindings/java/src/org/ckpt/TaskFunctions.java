package org.ckpt;

import java.nio.ByteBuffer;
import java.time.Duration;

/** Adapters between the library and the listeners and sources of background tasks. */
final class TaskFunctions {
  /** Whether this thread is inside a listener, where calls must not wait. */
  private static final ThreadLocal<Boolean> INSIDE = ThreadLocal.withInitial(() -> false);

  private TaskFunctions() {}

  static boolean insideListener() {
    return INSIDE.get();
  }

  private static void inside(Runnable call) {
    boolean before = INSIDE.get();
    INSIDE.set(true);
    try {
      call.run();
    } finally {
      INSIDE.set(before);
    }
  }

  /** task null: of a manager. listener null: only the task is notified. */
  static final class Listener extends NativeAsyncListener {
    private final CheckpointTask task;
    private final CheckpointTaskListener listener;

    Listener(CheckpointTask task, CheckpointTaskListener listener) {
      this.task = task;
      this.listener = listener;
    }

    @Override
    public void staged(long id, long stall_ns) {
      if (task != null) task.known(id);
      Duration stall = Duration.ofNanos(stall_ns);
      if (task != null) task.stagedAfter(stall);
      if (listener != null) inside(() -> listener.staged(id, stall));
    }

    @Override
    public void progress(long id, long done_bytes, long total_bytes) {
      if (listener != null) inside(() -> listener.progress(id, done_bytes, total_bytes));
    }

    @Override
    public void ended(ckpt_checkpoint_task_result struct) {
      CheckpointTaskResult result = CheckpointTaskResult.of(struct);
      try {
        if (listener != null) inside(() -> listener.ended(result));
      } finally {
        if (task != null) task.known(result.id());
        if (task != null) task.end(result);
      }
    }
  }

  static NativeAsyncListener pinned(CheckpointTask task, CheckpointTaskListener listener) {
    return new Listener(task, listener).pinned();
  }

  static NativeAsyncSource pinned(CheckpointTaskSource source) {
    return source == null ? null : new NativeAsyncSource() {
      @Override
      public void read(String group, String name, long data, long offset, ByteBuffer buffer) {
        source.read(group, name, data, offset, NativeBuffers.orEmpty(buffer));
      }
    }.pinned();
  }
}
