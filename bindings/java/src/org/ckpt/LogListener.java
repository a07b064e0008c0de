package org.ckpt;

/** Receives the library's log. */
@FunctionalInterface
public interface LogListener {
  /**
   * One message. Runs on any thread, several at once; must not call {@link Ckpt#setLog}.
   *
   * @param level how grave it is
   * @param component the part's name: "state", "engine", ...
   * @param message one line of text
   */
  void message(LogLevel level, String component, String message);
}
