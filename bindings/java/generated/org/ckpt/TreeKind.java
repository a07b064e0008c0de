// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/** What a node of a tree is. */
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

  /** Two such numbers: the real and the imaginary part. */
  COMPLEX(5),

  /** Text in UTF-8; lone surrogates of other languages' texts are three bytes each in it. */
  TEXT(6),

  /** Any row of bytes. */
  BYTES(7),

  /** Row of bytes that can be changed, in languages that have two types. */
  BYTEARRAY(8),

  /** Path of the writer's system, as text. */
  PATH(9),

  /** Path of a POSIX system, as text. */
  POSIX_PATH(10),

  /** Path of Windows, as text. */
  WINDOWS_PATH(11),

  /** Container: parts follow. */
  LIST(12),

  /** Container: parts follow; a list that cannot be changed. */
  TUPLE(13),

  /** Container: keys, each with its value behind it, follow. */
  DICT(14),

  /** Container: a dict whose order is a part of its value. */
  ORDERED_DICT(15),

  /** Container with a class's name: names of fields, each with its value behind it, follow. */
  NAMED_TUPLE(16),

  /** Container with a class's name: names of fields, each with its value behind it, follow. */
  DATACLASS(17),

  /** Tensor of the group. */
  TENSOR(18),

  /** Container of two parts: a value, and a dict of its attributes by name (format 2). */
  ATTRIBUTES(19),

  /** A number that this version does not know: a newer library has it. */
  UNKNOWN(Integer.MIN_VALUE);

  private static final TreeKind[] KNOWN = values();
  private final int number;

  TreeKind(int number) {
    this.number = number;
  }

  /** {@return the number in the C API, fixed for ever} */
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
