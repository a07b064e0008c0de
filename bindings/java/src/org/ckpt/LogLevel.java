package org.ckpt;

/** How grave a message of the log is. The order is that of gravity. */
public enum LogLevel {
  /** For people who look for a defect. */
  DEBUG,
  /** What is usual. */
  INFO,
  /** Something was wrong and has been dealt with. */
  WARNING,
  /** Something failed. */
  ERROR
}
