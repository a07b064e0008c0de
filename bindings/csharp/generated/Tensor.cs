// Generated from include/ckpt by tools/api: do not edit.
using System;
using System.Diagnostics.CodeAnalysis;
using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>An element type: one of <see cref="DType"/>, the 22 element types of the safetensors format. The numbers never
    /// change; 0 is not an element type. Storage, copies and exchange support all of them, arithmetic F32 and F64.</summary>
    public enum DType
    {
        /// <summary>No value.</summary>
        None = 0,
        /// <summary>Floating point of 4 bits: 2 exponent, 1 mantissa; two in a byte, the first in the low bits.</summary>
        F4 = 1,
        /// <summary>Floating point of 6 bits: 2 exponent, 3 mantissa; packed: four in three bytes.</summary>
        F6E2M3 = 2,
        /// <summary>Floating point of 6 bits: 3 exponent, 2 mantissa; packed: four in three bytes.</summary>
        F6E3M2 = 3,
        /// <summary>Truth value of one byte: 0 or 1.</summary>
        Bool = 4,
        /// <summary>Unsigned integer of 8 bits.</summary>
        U8 = 5,
        /// <summary>Signed integer of 8 bits.</summary>
        I8 = 6,
        /// <summary>Floating point of 8 bits: 5 exponent, 2 mantissa.</summary>
        F8E5M2 = 7,
        /// <summary>Floating point of 8 bits: 4 exponent, 3 mantissa, no infinities ("e4m3fn").</summary>
        F8E4M3 = 8,
        /// <summary>Floating point of 8 bits: exponent only, for scale factors.</summary>
        F8E8M0 = 9,
        /// <summary>Floating point of 8 bits: 4 exponent, 3 mantissa, no infinities, no negative zero.</summary>
        F8E4M3Fnuz = 10,
        /// <summary>Floating point of 8 bits: 5 exponent, 2 mantissa, no infinities, no negative zero.</summary>
        F8E5M2Fnuz = 11,
        /// <summary>Signed integer of 16 bits.</summary>
        I16 = 12,
        /// <summary>Unsigned integer of 16 bits.</summary>
        U16 = 13,
        /// <summary>Floating point of 16 bits: IEEE 754 binary16.</summary>
        F16 = 14,
        /// <summary>Floating point of 16 bits: the upper half of an F32.</summary>
        BF16 = 15,
        /// <summary>Signed integer of 32 bits.</summary>
        I32 = 16,
        /// <summary>Unsigned integer of 32 bits.</summary>
        U32 = 17,
        /// <summary>Floating point of 32 bits: IEEE 754 binary32.</summary>
        F32 = 18,
        /// <summary>Signed integer of 64 bits.</summary>
        I64 = 19,
        /// <summary>Unsigned integer of 64 bits.</summary>
        U64 = 20,
        /// <summary>Floating point of 64 bits: IEEE 754 binary64.</summary>
        F64 = 21,
        /// <summary>Complex number of 64 bits: two F32, real and imaginary.</summary>
        C64 = 22,
    }

    /// <summary>Options for creating a buffer pool.</summary>
    public sealed unsafe partial class BufferPoolOptions
    {
        /// <summary>Maximum number of bytes kept for reuse; beyond it the buffers that were returned first are released to the
        /// system; default 256 MiB; null: every buffer is kept for reuse.</summary>
        public long? RetainLimitBytes { get; set; } = 268435456;

        /// <summary>Layer name under which the tracker counts the pool's buffers; null: "tensor".</summary>
        [MaybeNull, AllowNull]
        public string LayerName { get; set; }

        internal static ckpt_buffer_pool_options Native(BufferPoolOptions from, CallMemory memory)
        {
            if (from == null) return null;
            var to = memory.Add(new ckpt_buffer_pool_options());
            to.has_retain_limit = from.RetainLimitBytes == null ? 0 : 1;
            to.retain_limit_bytes = from.RetainLimitBytes ?? 0;
            to.layer_name = memory.Of(from.LayerName);
            return to;
        }

        /// <summary>The values in one line.</summary>
        /// <returns>The text.</returns>
        public override string ToString()
        {
            return Shown.Of("BufferPoolOptions", "RetainLimitBytes", RetainLimitBytes, "LayerName", LayerName);
        }
    }

    /// <summary>Current contents and counters of a buffer pool.</summary>
    public sealed unsafe partial class BufferPoolStats
    {
        internal BufferPoolStats(ckpt_buffer_pool_stats from)
        {
            LiveBytes = from.live_bytes;
            LiveBuffers = from.live_buffers;
            RetainedBytes = from.retained_bytes;
            RetainedBuffers = from.retained_buffers;
            ReservedBytes = from.reserved_bytes;
            PeakReservedBytes = from.peak_reserved_bytes;
            Taken = from.taken;
            Reused = from.reused;
        }

        internal static BufferPoolStats Filled(Action<ckpt_buffer_pool_stats> fill)
        {
            using (var from = new ckpt_buffer_pool_stats())
            {
                fill(from);
                return new BufferPoolStats(from);
            }
        }

        /// <summary>Bytes that tensors use now, as the tracker counts them.</summary>
        public long LiveBytes { get; }

        /// <summary>Number of buffers that tensors use now; tensors without bytes need none.</summary>
        public long LiveBuffers { get; }

        /// <summary>Bytes kept for reuse.</summary>
        public long RetainedBytes { get; }

        /// <summary>Number of buffers kept for reuse.</summary>
        public long RetainedBuffers { get; }

        /// <summary>Bytes allocated from the system: live buffers, each rounded up to 64 bytes, and retained ones.</summary>
        public long ReservedBytes { get; }

        /// <summary>The largest value of <see cref="ReservedBytes"/> since the pool was created.</summary>
        public long PeakReservedBytes { get; }

        /// <summary>Number of buffers that tensors took since the pool was created.</summary>
        public long Taken { get; }

        /// <summary>Number of those buffers that were reused, without allocating memory from the system.</summary>
        public long Reused { get; }

        /// <summary>The values in one line.</summary>
        /// <returns>The text.</returns>
        public override string ToString()
        {
            return Shown.Of("BufferPoolStats", "LiveBytes", LiveBytes, "LiveBuffers", LiveBuffers, "RetainedBytes",
                RetainedBytes, "RetainedBuffers", RetainedBuffers, "ReservedBytes", ReservedBytes, "PeakReservedBytes",
                PeakReservedBytes, "Taken", Taken, "Reused", Reused);
        }
    }
}
