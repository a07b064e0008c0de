// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/**
 * The result of every function that can fail: {@link Status#OK} or one of {@link Status}. Values never change; later versions
 * only append new ones.
 */
public enum Status {
  /** The operation succeeded. */
  OK(0),

  /** An argument is missing, of the wrong kind, or has a value that is never valid. */
  INVALID_ARGUMENT(-1),

  /** The system has no memory left. */
  OUT_OF_MEMORY(-2),

  /** An index or size is outside the range of the object. */
  OUT_OF_RANGE(-3),

  /** The call is not allowed now: wrong order, already done, or not begun. */
  INVALID_STATE(-4),

  /** The name, id, file or checkpoint does not exist. */
  NOT_FOUND(-5),

  /** The name is taken. */
  ALREADY_EXISTS(-6),

  /** Another process, thread or object holds the resource. */
  BUSY(-7),

  /** The time-out expired. */
  TIMEOUT(-8),

  /** Stopped on request. */
  CANCELLED(-9),

  /** A callback of the caller failed. */
  CALLBACK(-10),

  /** The process was forked, and the object's threads exist only in the parent. */
  FORKED(-11),

  /** A bounded queue is full. */
  QUEUE_FULL(-12),

  /** The queue or object was closed. */
  CLOSED(-13),

  /** The operating system failed to read, write or sync. */
  IO(-14),

  /** The device or quota is full. */
  NO_SPACE(-15),

  /** The operating system denied access. */
  PERMISSION(-16),

  /** Stored bytes differ from the written ones or violate the format. */
  CORRUPT(-17),

  /** Valid, but not supported by this object or build. */
  UNSUPPORTED(-18),

  /** Does not fit the memory budget or limit. */
  OVER_BUDGET(-19),

  /** A schedule breaks one of its rules. */
  INVALID_SCHEDULE(-20),

  /** A defect of the library: please report it. */
  INTERNAL(-21),

  /** A number of a newer version of the library. */
  UNKNOWN(Integer.MIN_VALUE);

  private static final Status[] KNOWN = values();
  private final int number;

  Status(int number) {
    this.number = number;
  }

  /** {@return the number in the C API, which never changes} */
  public int number() {
    return number;
  }

  static Status of(int number) {
    for (Status one : KNOWN) {
      if (one.number == number) return one;
    }
    return UNKNOWN;
  }
}
