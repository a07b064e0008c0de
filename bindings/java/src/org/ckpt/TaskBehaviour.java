package org.ckpt;

import java.time.Duration;
import java.util.Optional;

/** What records of background tasks can do beside holding values. */
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

    /** {@return the time from the begin of the work to the end; empty when the task has not begun, or not ended} */
    default Optional<Duration> duration() {
      if (startedAtNs() == 0 || endedAtNs() == 0) return Optional.empty();
      return Optional.of(Duration.ofNanos(endedAtNs() - startedAtNs()));
    }
  }
}
