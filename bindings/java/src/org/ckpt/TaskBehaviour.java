package org.ckpt;

import java.time.Duration;
import java.util.Optional;

/** Methods of the records of background tasks. */
final class TaskBehaviour {
  private TaskBehaviour() {}

  interface Ended {
    CheckpointTaskState state();

    Status status();

    String error();

    /** {@return whether the task completed; false when it failed, was cancelled or rejected} */
    default boolean success() {
      return state() == CheckpointTaskState.COMPLETED;
    }

    /** Throws the error of a task that did not complete. */
    default void orThrow() {
      if (!success()) throw exception();
    }

    /** {@return the error of a task that did not complete; it is not thrown} */
    default CkptException exception() {
      return CkptException.of(status(), error());
    }
  }

  interface Timed {
    long startedAtNs();

    long endedAtNs();

    /** {@return the time from the start of the work to its end; empty when the task has not started or not ended} */
    default Optional<Duration> duration() {
      if (startedAtNs() == 0 || endedAtNs() == 0) return Optional.empty();
      return Optional.of(Duration.ofNanos(endedAtNs() - startedAtNs()));
    }
  }
}
