package org.ckpt;

/** Functions of the whole library: version, log, random numbers, clocks, processors. */
public final class Ckpt extends CkptMethods {
  private Ckpt() {}

  /** {@return the version of the native library that is loaded: major * 1000000 + minor * 1000 + patch} */
  public static int version() {
    return NativeJNI.ckpt_version();
  }

  /**
   * {@return the time of the system's monotonic clock in nanoseconds since a fixed moment; objects without a given clock use this
   * one}
   */
  public static long monotonicNs() {
    return NativeObject.number(out -> Native.ckpt_clock_get_now(null, out));
  }

  /**
   * Returns one block of Philox4x32-10: random words that are the same on every machine.
   *
   * @param counter four words
   * @param key two words
   * @return four words
   */
  public static int[] philox(int[] counter, int[] key) {
    int[] out = new int[4];
    Native.ckpt_random_philox(counter, key, out);
    return out;
  }

  /**
   * Sends the log to a listener. Returns when the previous listener is no longer running.
   *
   * @param minLevel the lowest severity to send
   * @param listener null: no messages, the default
   */
  public static void setLog(LogLevel minLevel, LogListener listener) {
    Native.ckpt_set_log(minLevel.number(), listener == null ? null : new NativeLogListener() {
      @Override
      public void message(int level, String component, String message) {
        listener.message(LogLevel.of(level), component, message);
      }
    }.pinned());
  }

  /**
   * Reports the long calls that this thread makes from now on: saves, loads, verifications, reads, writes of files.
   *
   * @param progress takes the bytes done, and all bytes; runs inside the call, which fails with its exception; null: none
   */
  public static void setProgress(java.util.function.BiConsumer<Long, Long> progress) {
    NativeProgressListener called = progress == null ? null : new NativeProgressListener() {
      @Override
      public void report(long doneBytes, long totalBytes) {
        progress.accept(doneBytes, totalBytes);
      }
    }.pinned();
    Native.ckpt_set_progress(called);
  }

  /** Returns the native library's last error on this thread; "" when there was none. For tests. */
  static String lastError() {
    return Native.ckpt_last_error();
  }
}
