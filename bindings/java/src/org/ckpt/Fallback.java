package org.ckpt;

/**
 * Failures that no caller can receive, as long as no log was ever set: they go to the system logger "org.ckpt" instead of the native
 * library's line on standard error.
 */
final class Fallback {
  private static boolean armed;

  private Fallback() {}

  /** Before the first object that can lose a failure is used. */
  static synchronized void arm() {
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
