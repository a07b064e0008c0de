package org.ckpt;

import java.time.Duration;
import java.util.OptionalLong;

/** A bounded first-in first-out queue of 64-bit words. Several threads may use it at once unless it was made with spsc. */
public final class Queue extends NativeObject {
  private static final int SPSC = 0;
  private static final int MPMC = 1;

  /**
   * A queue for any number of threads.
   *
   * @param capacity words, 1 .. 2^24, exact
   */
  public Queue(long capacity) {
    this(MPMC, capacity);
  }

  private Queue(int kind, long capacity) {
    super(number(out -> Native.ckpt_word_queue_create(kind, capacity, out)), Native::ckpt_word_queue_release);
  }

  /**
   * A queue for one pushing and one popping thread at a time.
   *
   * @param capacity words, 1 .. 2^24, exact
   * @return the queue
   */
  public static Queue spsc(long capacity) {
    return new Queue(SPSC, capacity);
  }

  /**
   * Appends a value.
   *
   * @param value any 64 bits
   * @param timeout how long to wait for a place; null: for ever
   * @return false when there was no place in time
   * @throws ClosedException after {@link #shut}
   */
  public boolean push(long value, Duration timeout) {
    try {
      Native.ckpt_word_queue_push(this, value, nanoseconds(timeout));
      return true;
    } catch (QueueFullException full) {
      return false;
    }
  }

  /**
   * Takes the oldest value.
   *
   * @param timeout how long to wait for one; null: for ever
   * @return empty when none came in time
   * @throws ClosedException when the queue is shut and empty
   */
  public OptionalLong pop(Duration timeout) {
    try {
      return OptionalLong.of(number(out -> Native.ckpt_word_queue_pop(this, out, nanoseconds(timeout))));
    } catch (TimeoutException none) {
      return OptionalLong.empty();
    }
  }

  /** Lets nothing more in and wakes every waiting thread; what is inside can still be popped. */
  public void shut() {
    Native.ckpt_word_queue_close(this);
  }

  /**
   * Words inside now.
   *
   * @return a snapshot when other threads are at work
   */
  public long size() {
    return number(out -> Native.ckpt_word_queue_get_size(this, out));
  }
}
