// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/**
 * An element type: one of {@link DType}, the 22 element types of the safetensors format. The numbers never change; 0 is not an
 * element type. Storage, copies and exchange support all of them, arithmetic F32 and F64.
 */
public enum DType {
  /** Floating point of 4 bits: 2 exponent, 1 mantissa; two in a byte, the first in the low bits. */
  F4(1),

  /** Floating point of 6 bits: 2 exponent, 3 mantissa; packed: four in three bytes. */
  F6_E2M3(2),

  /** Floating point of 6 bits: 3 exponent, 2 mantissa; packed: four in three bytes. */
  F6_E3M2(3),

  /** Truth value of one byte: 0 or 1. */
  BOOL(4),

  /** Unsigned integer of 8 bits. */
  U8(5),

  /** Signed integer of 8 bits. */
  I8(6),

  /** Floating point of 8 bits: 5 exponent, 2 mantissa. */
  F8_E5M2(7),

  /** Floating point of 8 bits: 4 exponent, 3 mantissa, no infinities ("e4m3fn"). */
  F8_E4M3(8),

  /** Floating point of 8 bits: exponent only, for scale factors. */
  F8_E8M0(9),

  /** Floating point of 8 bits: 4 exponent, 3 mantissa, no infinities, no negative zero. */
  F8_E4M3FNUZ(10),

  /** Floating point of 8 bits: 5 exponent, 2 mantissa, no infinities, no negative zero. */
  F8_E5M2FNUZ(11),

  /** Signed integer of 16 bits. */
  I16(12),

  /** Unsigned integer of 16 bits. */
  U16(13),

  /** Floating point of 16 bits: IEEE 754 binary16. */
  F16(14),

  /** Floating point of 16 bits: the upper half of an F32. */
  BF16(15),

  /** Signed integer of 32 bits. */
  I32(16),

  /** Unsigned integer of 32 bits. */
  U32(17),

  /** Floating point of 32 bits: IEEE 754 binary32. */
  F32(18),

  /** Signed integer of 64 bits. */
  I64(19),

  /** Unsigned integer of 64 bits. */
  U64(20),

  /** Floating point of 64 bits: IEEE 754 binary64. */
  F64(21),

  /** Complex number of 64 bits: two F32, real and imaginary. */
  C64(22),

  /** A number of a newer version of the library. */
  UNKNOWN(Integer.MIN_VALUE);

  private static final DType[] KNOWN = values();
  private final int number;

  DType(int number) {
    this.number = number;
  }

  /** {@return the number in the C API, which never changes} */
  public int number() {
    return number;
  }

  static DType of(int number) {
    for (DType one : KNOWN) {
      if (one.number == number) return one;
    }
    return UNKNOWN;
  }

  /**
   * Returns the bits of one element of the type: 4, 6, 8, 16, 32 or 64; 0 for a number that is not a dtype. The size is in bits
   * because elements of some types do not fill whole bytes.
   */
  public long bits() {
    return Native.ckpt_dtype_bits(number);
  }

  /**
   * Returns the type's name in the safetensors format: "F32", "F8_E4M3", "BOOL", ...; "UNKNOWN" for a number that is not a dtype.
   */
  public String safetensorsName() {
    return Native.ckpt_dtype_name(number);
  }

  /**
   * Returns the type with this name, in the spelling of {@code DType.safetensorsName}. {@link Status#NOT_FOUND} for any other name.
   */
  public static DType find(String name) {
    return DType.of(NativeObject.whole(out -> Native.ckpt_dtype_find(name, out)));
  }
}
