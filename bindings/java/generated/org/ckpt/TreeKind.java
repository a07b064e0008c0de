// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/** The kind of a node of a tree. */
public enum TreeKind {
  /** No value. */
  NULL(0),

  /** Truth value. */
  BOOLEAN(1),

  /** Whole number of 64 bits with sign. */
  INTEGER(2),

  /** Whole number beyond 64 bits, as text: "-0x1f...". */
  BIG_INTEGER(3),

  /** Floating-point number of 64 bits, also NaN (bit for bit) and infinities. */
  NUMBER(4),

  /** Complex number: real and imaginary part, 64 bits each. */
  COMPLEX(5),

  /** String in UTF-8; lone surrogates of other languages' strings take three bytes each. */
  TEXT(6),

  /** Sequence of bytes. */
  BYTES(7),

  /** Mutable sequence of bytes, in languages that have a separate type for it. */
  BYTEARRAY(8),

  /** Path of the writer's system, as text. */
  PATH(9),

  /** Path of a POSIX system, as text. */
  POSIX_PATH(10),

  /** Path of Windows, as text. */
  WINDOWS_PATH(11),

  /** Container: parts follow. */
  LIST(12),

  /** Container: parts follow; an immutable list. */
  TUPLE(13),

  /** Container: keys follow, each before its value. */
  DICT(14),

  /** Container: a dict in which the order is part of the value. */
  ORDERED_DICT(15),

  /** Container with a class's name: names of fields follow, each before its value. */
  NAMED_TUPLE(16),

  /** Container with a class's name: names of fields follow, each before its value. */
  DATACLASS(17),

  /** Tensor of the group. */
  TENSOR(18),

  /** Container of two parts: a value, and a dict of its attributes by name (format 2). */
  ATTRIBUTES(19),

  /** A number of a newer version of the library. */
  UNKNOWN(Integer.MIN_VALUE);

  private static final TreeKind[] KNOWN = values();
  private final int number;

  TreeKind(int number) {
    this.number = number;
  }

  /** {@return the number in the C API, which never changes} */
  public int number() {
    return number;
  }

  static TreeKind of(int number) {
    for (TreeKind one : KNOWN) {
      if (one.number == number) return one;
    }
    return UNKNOWN;
  }
}
