namespace Ckpt
{
    /// <summary>The 22 element types of the safetensors format. Storage and copies know all of them, arithmetic F32 and
    /// F64.</summary>
    public enum DType
    {
        /// <summary>Not known: only where an element type may be left out.</summary>
        None = 0,
        /// <summary>4 bits: 2 exponent, 1 mantissa; two in a byte.</summary>
        F4 = 1,
        /// <summary>6 bits, packed: four in three bytes.</summary>
        F6E2M3 = 2,
        /// <summary>6 bits, packed: four in three bytes.</summary>
        F6E3M2 = 3,
        /// <summary>One byte: 0 or 1.</summary>
        Bool = 4,
        /// <summary>Unsigned integer of 8 bits.</summary>
        U8 = 5,
        /// <summary>Signed integer of 8 bits.</summary>
        I8 = 6,
        /// <summary>8 bits: 5 exponent, 2 mantissa.</summary>
        F8E5M2 = 7,
        /// <summary>8 bits: 4 exponent, 3 mantissa, no infinities.</summary>
        F8E4M3 = 8,
        /// <summary>8 bits: exponent only, for scale factors.</summary>
        F8E8M0 = 9,
        /// <summary>8 bits: no infinities, no negative zero.</summary>
        F8E4M3Fnuz = 10,
        /// <summary>8 bits: no infinities, no negative zero.</summary>
        F8E5M2Fnuz = 11,
        /// <summary>Signed integer of 16 bits.</summary>
        I16 = 12,
        /// <summary>Unsigned integer of 16 bits.</summary>
        U16 = 13,
        /// <summary>IEEE 754 binary16.</summary>
        F16 = 14,
        /// <summary>The upper half of an F32.</summary>
        BF16 = 15,
        /// <summary>Signed integer of 32 bits.</summary>
        I32 = 16,
        /// <summary>Unsigned integer of 32 bits.</summary>
        U32 = 17,
        /// <summary>IEEE 754 binary32: float.</summary>
        F32 = 18,
        /// <summary>Signed integer of 64 bits.</summary>
        I64 = 19,
        /// <summary>Unsigned integer of 64 bits.</summary>
        U64 = 20,
        /// <summary>IEEE 754 binary64: double.</summary>
        F64 = 21,
        /// <summary>Complex: two F32, real and imaginary.</summary>
        C64 = 22,
    }
}
