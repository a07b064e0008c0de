using System;
using System.Runtime.InteropServices;

namespace Ckpt.Interop
{
    // ckpt_swig::Bytes: memory that is lent for one call.
    [StructLayout(LayoutKind.Sequential)]
    internal unsafe struct NativeBytes
    {
        private void* data;
        private long size;

        internal static Span<byte> Of(IntPtr bytes)
        {
            var lent = (NativeBytes*)bytes;
            if (lent->data == null) return Span<byte>.Empty;
            if (lent->size > int.MaxValue)
                throw new CheckpointUnsupportedException("a callback's buffer has " + lent->size + " bytes; a span holds at most "
                    + int.MaxValue);
            return new Span<byte>(lent->data, (int)lent->size);
        }
    }
}
