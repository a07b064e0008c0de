// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

import java.lang.ref.Reference;
import java.time.Duration;

/** Options for creating a fault handler: number of attempts and pauses between them. */
public final class FaultHandlerOptions {
  private int maxAttempts = 5;
  private Duration firstDelay = Duration.ofNanos(10000000L);
  private Duration maxDelay = Duration.ofNanos(10000000000L);
  private double factor = 2.0;
  private double jitter = 0.5;
  private long seed = 0L;

  /** All defaults. */
  public FaultHandlerOptions() {}

  /**
   * Maximum number of attempts of one operation, the first one included, &gt;= 1. Default: 5.
   *
   * @param maxAttempts the value
   * @return this
   */
  public FaultHandlerOptions maxAttempts(int maxAttempts) {
    this.maxAttempts = maxAttempts;
    return this;
  }

  /** {@return the value set by {@link #maxAttempts(int)}} */
  public int maxAttempts() {
    return maxAttempts;
  }

  /**
   * Pause before the second attempt, &gt;= 0. Default: 10 ms.
   *
   * @param firstDelay the value
   * @return this
   */
  public FaultHandlerOptions firstDelay(Duration firstDelay) {
    this.firstDelay = firstDelay;
    return this;
  }

  /** {@return the value set by {@link #firstDelay(Duration)}} */
  public Duration firstDelay() {
    return firstDelay;
  }

  /**
   * Maximum pause, &gt;= 0. Default: 10 s.
   *
   * @param maxDelay the value
   * @return this
   */
  public FaultHandlerOptions maxDelay(Duration maxDelay) {
    this.maxDelay = maxDelay;
    return this;
  }

  /** {@return the value set by {@link #maxDelay(Duration)}} */
  public Duration maxDelay() {
    return maxDelay;
  }

  /**
   * Ratio of each pause to the previous one, &gt;= 1. Default: 2.0.
   *
   * @param factor the value
   * @return this
   */
  public FaultHandlerOptions factor(double factor) {
    this.factor = factor;
    return this;
  }

  /** {@return the value set by {@link #factor(double)}} */
  public double factor() {
    return factor;
  }

  /**
   * Maximum random change of a pause, as a fraction of it, 0 .. 1. Default: 0.5.
   *
   * @param jitter the value
   * @return this
   */
  public FaultHandlerOptions jitter(double jitter) {
    this.jitter = jitter;
    return this;
  }

  /** {@return the value set by {@link #jitter(double)}} */
  public double jitter() {
    return jitter;
  }

  /**
   * Seed of the random numbers for the jitter: Philox4x32-10 (64 bits without a sign). Default: 0.
   *
   * @param seed the value
   * @return this
   */
  public FaultHandlerOptions seed(long seed) {
    this.seed = seed;
    return this;
  }

  /** {@return the value set by {@link #seed(long)}} */
  public long seed() {
    return seed;
  }

  /** Calls with these values, and keeps them alive during the call. */
  void with(NativeObject.Into<ckpt_fault_handler_options> call) {
    try (ckpt_fault_handler_options struct = new ckpt_fault_handler_options()) {
      struct.setMax_attempts(maxAttempts);
      struct.setFirst_delay_ns(NativeObject.nanoseconds(firstDelay));
      struct.setMax_delay_ns(NativeObject.nanoseconds(maxDelay));
      struct.setFactor(factor);
      struct.setJitter(jitter);
      struct.setSeed(seed);
      call.call(struct);
    } finally {
      Reference.reachabilityFence(this);
    }
  }
}
