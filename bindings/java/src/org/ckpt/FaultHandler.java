package org.ckpt;

import java.time.Duration;
import java.util.function.Consumer;

/** Decides which failed operations are retried, and when. Synchronized; one handler may serve several storages. */
public final class FaultHandler extends FaultHandlerMethods {
  FaultHandler(long address) {
    super(address);
  }

  /** Creates a handler with all defaults: 5 attempts, pauses of about 10, 20, 40 and 80 ms. */
  public FaultHandler() {
    this(new FaultHandlerOptions());
  }

  /**
   * Creates a handler that sleeps between attempts.
   *
   * @param options which errors it retries, and when
   */
  public FaultHandler(FaultHandlerOptions options) {
    this(options, null);
  }

  /**
   * Creates a handler with a custom sleep.
   *
   * @param options which errors it retries, and when
   * @param sleep called instead of sleeping, on the thread of the failed operation; null: sleeps
   */
  public FaultHandler(FaultHandlerOptions options, Consumer<Duration> sleep) {
    this(options, sleep, null);
  }

  /**
   * Creates a handler with a custom decision.
   *
   * @param options which errors it retries, and when
   * @param sleep called instead of sleeping, on the thread of the failed operation; null: sleeps
   * @param decide called for each error except that of the last attempt, on the thread of the failed operation; if it throws, the
   *     operation fails with {@link CkptCallbackException}; null: the default rule decides
   */
  public FaultHandler(FaultHandlerOptions options, Consumer<Duration> sleep, Consumer<Fault> decide) {
    this(create(options, sleep, decide));
  }

  private static long create(FaultHandlerOptions options, Consumer<Duration> sleep, Consumer<Fault> decide) {
    NativeSleeper sleeper = sleep == null ? null : new NativeSleeper() {
      @Override
      public void sleep(long ns) {
        sleep.accept(Duration.ofNanos(ns));
      }
    }.pinned();
    NativeDecider decider = decide == null ? null : new NativeDecider() {
      @Override
      public void decide(int status, String message, int attempt, boolean retry, long delay_ns, FaultAnswer answer) {
        Fault fault = new Fault(Status.of(status), message, attempt, retry, Duration.ofNanos(delay_ns));
        decide.accept(fault);
        answer.set(fault.retry(), fault.delay().toNanos());
      }
    }.pinned();
    return number(out -> options.with(struct -> Native.ckpt_fault_handler_create(struct, sleeper, decider, out)));
  }
}
