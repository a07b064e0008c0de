package org.ckpt;

import java.time.Duration;
import java.util.function.Consumer;

/** Decides what is tried again, and when. Synchronised; one handler may serve several storages. */
public final class FaultHandler extends NativeObject {
  private FaultHandler(long address) {
    super(address, Native::ckpt_fault_handler_release);
  }

  static FaultHandler adopt(long address) {
    return new FaultHandler(address);
  }

  /** A handler with all defaults: 5 attempts, pauses of about 10, 20, 40 and 80 ms. */
  public FaultHandler() {
    this(new FaultHandlerOptions());
  }

  /**
   * A handler that really sleeps.
   *
   * @param options what it tries again, and when
   */
  public FaultHandler(FaultHandlerOptions options) {
    this(options, null);
  }

  /**
   * A handler.
   *
   * @param options what it tries again, and when
   * @param sleep called instead of sleeping, on the thread whose operation failed; null really sleeps
   */
  public FaultHandler(FaultHandlerOptions options, Consumer<Duration> sleep) {
    this(create(options, sleep));
  }

  private static long create(FaultHandlerOptions options, Consumer<Duration> sleep) {
    NativeSleeper sleeper = sleep == null ? null : new Sleeper(sleep).pinned();
    return number(out -> options.with(struct -> Native.ckpt_fault_handler_create(struct, sleeper, out)));
  }

  /**
   * How often something was tried again.
   *
   * @return since the handler was made
   */
  public long retryCount() {
    return number(out -> Native.ckpt_fault_handler_get_retry_count(this, out));
  }

  private static final class Sleeper extends NativeSleeper {
    private final Consumer<Duration> function;

    Sleeper(Consumer<Duration> function) {
      this.function = function;
    }

    @Override
    public void sleep(long ns) {
      function.accept(Duration.ofNanos(ns));
    }
  }
}
