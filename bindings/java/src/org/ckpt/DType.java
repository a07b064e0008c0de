package org.ckpt;

/** The element types of the safetensors format. */
public enum DType {
  /** 4 bits: 2 exponent, 1 mantissa. */
  F4(1),

  /** 6 bits, packed: four in three bytes. */
  F6_E2M3(2),

  /** 6 bits, packed: four in three bytes. */
  F6_E3M2(3),

  /** One byte: 0 or 1. */
  BOOL(4),

  /** Unsigned integer of 8 bits. */
  U8(5),

  /** Signed integer of 8 bits. */
  I8(6),

  /** 8 bits: 5 exponent, 2 mantissa. */
  F8_E5M2(7),

  /** 8 bits: 4 exponent, 3 mantissa, no infinities. */
  F8_E4M3(8),

  /** 8 bits: exponent only, for scale factors. */
  F8_E8M0(9),

  /** 8 bits: no infinities, no negative zero. */
  F8_E4M3FNUZ(10),

  /** 8 bits: no infinities, no negative zero. */
  F8_E5M2FNUZ(11),

  /** Signed integer of 16 bits. */
  I16(12),

  /** Unsigned integer of 16 bits. */
  U16(13),

  /** IEEE 754 binary16. */
  F16(14),

  /** The upper half of an F32. */
  BF16(15),

  /** Signed integer of 32 bits. */
  I32(16),

  /** Unsigned integer of 32 bits. */
  U32(17),

  /** IEEE 754 binary32. */
  F32(18),

  /** Signed integer of 64 bits. */
  I64(19),

  /** Unsigned integer of 64 bits. */
  U64(20),

  /** IEEE 754 binary64. */
  F64(21),

  /** Complex: two F32, real and imaginary. */
  C64(22),

  /** A number that this version does not know: a newer library has it. */
  UNKNOWN(Integer.MIN_VALUE);

  private final int number;

  DType(int number) {
    this.number = number;
  }

  /**
   * The number in the C API.
   *
   * @return fixed for ever
   */
  public int number() {
    return number;
  }

  /**
   * Bits of one element.
   *
   * @return 4, 6, 8, 16, 32 or 64
   */
  public long bits() {
    return Native.ckpt_dtype_bits(number);
  }

  /**
   * The name in the safetensors format.
   *
   * @return "F32", "F8_E4M3", ...
   */
  public String safetensorsName() {
    return Native.ckpt_dtype_name(number);
  }

  /**
   * The type with this name.
   *
   * @param name in the spelling of {@link #safetensorsName}
   * @return the type
   * @throws CkptNotFoundException for any other name
   */
  public static DType find(String name) {
    return of(NativeObject.whole(out -> Native.ckpt_dtype_find(name, out)));
  }

  static DType of(int number) {
    for (DType one : values()) {
      if (one.number == number) return one;
    }
    return UNKNOWN;
  }
}
