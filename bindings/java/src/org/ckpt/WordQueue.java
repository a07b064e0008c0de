package org.ckpt;

import java.time.Duration;
import java.util.OptionalLong;

/** A bounded first-in first-out queue of 64-bit words. Several threads may use it at once unless it is of the kind SPSC. */
public final class WordQueue extends NativeObject {
  /**
   * A queue for any number of threads.
   *
   * @param capacity words, 1 .. 2^24, exact
   */
  public WordQueue(long capacity) {
    this(WordQueueKind.MPMC, capacity);
  }

  /**
   * A queue.
   *
   * @param kind how many threads may use it
   * @param capacity words, 1 .. 2^24, exact
   */
  public WordQueue(WordQueueKind kind, long capacity) {
    super(number(out -> Native.ckpt_word_queue_create(kind.number(), capacity, out)), Native::ckpt_word_queue_release);
  }

  /**
   * Appends a value.
   *
   * @param value any 64 bits
   * @param timeout how long to wait for a place; null: for ever
   * @return false when there was no place in time
   * @throws CkptClosedException after {@link #shut}
   */
  public boolean push(long value, Duration timeout) {
    try {
      Native.ckpt_word_queue_push(this, value, nanoseconds(timeout));
      return true;
    } catch (CkptQueueFullException full) {
      return false;
    }
  }

  /**
   * Takes the oldest value.
   *
   * @param timeout how long to wait for one; null: for ever
   * @return empty when none came in time
   * @throws CkptClosedException when the queue is shut and empty
   */
  public OptionalLong pop(Duration timeout) {
    try {
      return OptionalLong.of(number(out -> Native.ckpt_word_queue_pop(this, nanoseconds(timeout), out)));
    } catch (CkptTimeoutException none) {
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
  public long wordCount() {
    return number(out -> Native.ckpt_word_queue_get_word_count(this, out));
  }
}
