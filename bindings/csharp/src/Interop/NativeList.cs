using System;
using System.Runtime.InteropServices;

namespace Ckpt.Interop
{
    // Elements that a call returned, to be read once and freed.
    internal unsafe struct NativeList : IDisposable
    {
        private IntPtr list;

        internal NativeList(IntPtr list) { this.list = list; }

        internal long Count => *(long*)list;

        internal IntPtr At(long index) => (IntPtr)((byte*)list + 16 + index * ((long*)list)[1]);

        public void Dispose()
        {
            native.ckpt_csharp_free(list);
            list = IntPtr.Zero;
        }

        // Converts each element from its address.
        internal static T[] Created<T>(IntPtr fetched, Func<IntPtr, T> make)
        {
            using (var list = new NativeList(fetched))
            {
                var values = new T[list.Count];
                for (long i = 0; i < values.Length; ++i) values[i] = make(list.At(i));
                return values;
            }
        }

        internal static long[] Integers(IntPtr fetched) => Created(fetched, at => *(long*)at);

        internal static byte[] Bytes(IntPtr fetched)
        {
            using (var list = new NativeList(fetched))
            {
                var bytes = new byte[list.Count];
                Marshal.Copy(list.At(0), bytes, 0, bytes.Length);
                return bytes;
            }
        }

        // Copies an array in a struct.
        internal static long[] Copied(long* values, int count)
        {
            var copy = new long[count];
            for (var i = 0; i < count; ++i) copy[i] = values[i];
            return copy;
        }

        // Pads a shape to the length of a struct's array.
        internal static long[] Lengths(long[] shape)
        {
            if (shape.Length > native.CKPT_TENSOR_LARGEST_NDIM)
                throw new CkptInvalidArgumentException("shape: expected at most " + Tensor.LargestNdim + " dimensions, found "
                    + shape.Length);
            var lengths = new long[native.CKPT_TENSOR_LARGEST_NDIM];
            shape.CopyTo(lengths, 0);
            return lengths;
        }
    }

    // ckpt_swig::Bytes: memory that is valid during one call.
    [StructLayout(LayoutKind.Sequential)]
    internal unsafe struct NativeBytes
    {
        private void* data;
        private long size;

        internal static Span<byte> Of(IntPtr bytes) => ((NativeBytes*)bytes)->Span;

        internal Span<byte> Span
        {
            get
            {
                if (data == null) return default(Span<byte>);
                if (size > int.MaxValue)
                    throw new CkptUnsupportedException("a callback's buffer has " + size + " bytes; a span holds at most "
                        + int.MaxValue);
                return new Span<byte>(data, (int)size);
            }
        }
    }
}
