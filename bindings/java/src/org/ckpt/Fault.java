package org.ckpt;

import java.time.Duration;
import java.util.Objects;

/** An error of a storage, and its handling: set retry and delay, or leave the values of the rule. */
public final class Fault {
  private final Status status;
  private final String message;
  private final int attempt;
  private boolean retry;
  private Duration delay;

  Fault(Status status, String message, int attempt, boolean retry, Duration delay) {
    this.status = status;
    this.message = message;
    this.attempt = attempt;
    this.retry = retry;
    this.delay = delay;
  }

  /** {@return the status of the error} */
  public Status status() {
    return status;
  }

  /** {@return the message of the error, one line} */
  public String message() {
    return message;
  }

  /** {@return the attempt that failed, 1 for the first} */
  public int attempt() {
    return attempt;
  }

  /** {@return whether the operation is retried} */
  public boolean retry() {
    return retry;
  }

  /**
   * Sets whether the operation is retried.
   *
   * @param again whether to retry
   */
  public void retry(boolean again) {
    retry = again;
  }

  /** {@return the pause before the next attempt} */
  public Duration delay() {
    return delay;
  }

  /**
   * Sets the pause before the next attempt.
   *
   * @param pause at least 0
   */
  public void delay(Duration pause) {
    delay = Objects.requireNonNull(pause, "pause");
  }
}
