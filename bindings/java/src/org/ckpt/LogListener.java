package org.ckpt;

import java.util.Objects;

/** Receives the library's log. */
@FunctionalInterface
public interface LogListener {
  /**
   * Receives one message. Runs on any thread, several at once; must not call {@link Ckpt#setLog}.
   *
   * @param level the severity
   * @param component the part's name: "state", "engine", ...
   * @param message one line of text
   */
  void message(LogLevel level, String component, String message);

  /**
   * Returns a listener that sends messages to a logger.
   *
   * @param logger receives "component: message"
   * @return the listener
   */
  static LogListener to(System.Logger logger) {
    Objects.requireNonNull(logger, "logger");
    return (level, component, message) -> logger.log(switch (level) {
      case DEBUG -> System.Logger.Level.DEBUG;
      case WARNING -> System.Logger.Level.WARNING;
      case ERROR -> System.Logger.Level.ERROR;
      default -> System.Logger.Level.INFO;
    }, component + ": " + message);
  }
}
