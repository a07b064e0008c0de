package org.ckpt;

import java.nio.ByteBuffer;

/** What stands between the library and listeners and sources of background tasks. */
final class AsyncFunctions {
  /** Whether this thread is inside a listener, where nothing may wait. */
  private static final ThreadLocal<Boolean> INSIDE = ThreadLocal.withInitial(() -> false);

  private AsyncFunctions() {}

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

  /** task null: of a manager. listener null: nobody but the task is told. */
  static final class Listener extends NativeAsyncListener {
    private final CheckpointTask task;
    private final AsyncListener listener;

    Listener(CheckpointTask task, AsyncListener listener) {
      this.task = task;
      this.listener = listener;
    }

    @Override
    public void staged(long id, double stall_seconds) {
      if (task != null) task.known(id);
      if (task != null) task.stagedAfter(stall_seconds);
      if (listener != null) inside(() -> listener.staged(id, stall_seconds));
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

  static final class Source extends NativeAsyncSource {
    private final AsyncSource source;

    Source(AsyncSource source) {
      this.source = source;
    }

    @Override
    public void read(String group, String name, long data, long offset, ByteBuffer buffer) {
      source.read(group, name, data, offset, NativeBuffers.orEmpty(buffer));
    }
  }

  static NativeAsyncListener pinned(CheckpointTask task, AsyncListener listener) {
    return new Listener(task, listener).pinned();
  }

  static NativeAsyncSource pinned(AsyncSource source) {
    return source == null ? null : new Source(source).pinned();
  }
}
