package org.ckpt;

import java.time.Duration;

/** What a fault handler tries again, and when. */
public final class FaultHandlerOptions {
  private Integer maxAttempts;
  private Duration firstDelay;
  private Duration maxDelay;
  private Double factor;
  private Double jitter;
  private Long seed;

  /** All defaults. */
  public FaultHandlerOptions() {}

  /**
   * Attempts, the first one included, at least 1; default 5.
   *
   * @param maxAttempts the value
   * @return this
   */
  public FaultHandlerOptions maxAttempts(int maxAttempts) {
    this.maxAttempts = maxAttempts;
    return this;
  }

  /**
   * Pause before the second attempt; default 10 ms.
   *
   * @param firstDelay the value
   * @return this
   */
  public FaultHandlerOptions firstDelay(Duration firstDelay) {
    this.firstDelay = firstDelay;
    return this;
  }

  /**
   * No pause is longer; default 10 s.
   *
   * @param maxDelay the value
   * @return this
   */
  public FaultHandlerOptions maxDelay(Duration maxDelay) {
    this.maxDelay = maxDelay;
    return this;
  }

  /**
   * Each pause over the one before, at least 1; default 2.
   *
   * @param factor the value
   * @return this
   */
  public FaultHandlerOptions factor(double factor) {
    this.factor = factor;
    return this;
  }

  /**
   * A pause is made longer or shorter by a random share of it of at most this, 0 .. 1; default 0.5.
   *
   * @param jitter the value
   * @return this
   */
  public FaultHandlerOptions jitter(double jitter) {
    this.jitter = jitter;
    return this;
  }

  /**
   * Of the jitter; default 0.
   *
   * @param seed the value
   * @return this
   */
  public FaultHandlerOptions seed(long seed) {
    this.seed = seed;
    return this;
  }

  /** Changes what was set; everything else keeps the library's default. */
  void apply(ckpt_fault_handler_options struct) {
    if (maxAttempts != null) struct.setMax_attempts(maxAttempts);
    if (firstDelay != null) struct.setFirst_delay_ns(NativeObject.nanoseconds(firstDelay));
    if (maxDelay != null) struct.setMax_delay_ns(NativeObject.nanoseconds(maxDelay));
    if (factor != null) struct.setFactor(factor);
    if (jitter != null) struct.setJitter(jitter);
    if (seed != null) struct.setSeed(seed);
  }
}
