package org.ckpt;

/**
 * Sends failures that cannot be returned to a caller to the system logger "org.ckpt", until a log is set. Replaces the native
 * library's line on standard error.
 */
final class Fallback {
  private static boolean armed;

  private Fallback() {}

  /** Installs it, before the first use of an object that can lose a failure. */
  static synchronized void install() {
    if (armed) return;
    armed = true;
    Native.ckpt_set_fallback_log(new NativeLogListener() {
      @Override
      public void message(int level, String component, String message) {
        System.getLogger("org.ckpt").log(System.Logger.Level.ERROR, component + ": " + message);
      }
    }.pinned());
  }
}
