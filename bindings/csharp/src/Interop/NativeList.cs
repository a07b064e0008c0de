using System;

namespace Ckpt.Interop
{
    // Elements that a call fetched, to be read once and freed.
    internal unsafe struct NativeList : IDisposable
    {
        private IntPtr list;

        internal NativeList(IntPtr list)
        {
            this.list = list;
        }

        internal long Count
        {
            get { return *(long*)list; }
        }

        internal IntPtr At(long index)
        {
            return (IntPtr)((byte*)list + 16 + index * ((long*)list)[1]);
        }

        internal byte[] Bytes()
        {
            var bytes = new byte[Count];
            System.Runtime.InteropServices.Marshal.Copy(At(0), bytes, 0, bytes.Length);
            return bytes;
        }

        internal long[] Integers()
        {
            var values = new long[Count];
            for (long i = 0; i < values.Length; ++i) values[i] = *(long*)At(i);
            return values;
        }

        internal double[] Numbers()
        {
            var values = new double[Count];
            for (long i = 0; i < values.Length; ++i) values[i] = *(double*)At(i);
            return values;
        }

        public void Dispose()
        {
            native.ckpt_csharp_free(list);
            list = IntPtr.Zero;
        }
    }
}
