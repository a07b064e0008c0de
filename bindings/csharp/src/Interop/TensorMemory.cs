using System;
using System.Buffers;

namespace Ckpt.Interop
{
    // A view that holds a reference of its own, so that the memory outlives the Tensor it came from.
    internal sealed class TensorMemory<T> : MemoryManager<T> where T : struct
    {
        private readonly Tensor tensor;
        private readonly IntPtr data;
        private readonly int length;

        internal TensorMemory(Tensor tensor, IntPtr data, int length)
        {
            this.tensor = tensor;
            this.data = data;
            this.length = length;
        }

        public override unsafe Span<T> GetSpan()
        {
            return new Span<T>((void*)data, length);
        }

        public override unsafe MemoryHandle Pin(int elementIndex = 0)
        {
            if (elementIndex < 0 || elementIndex > length) throw new ArgumentOutOfRangeException("elementIndex");
            return new MemoryHandle((byte*)data + (long)elementIndex * System.Runtime.InteropServices.Marshal.SizeOf(typeof(T)),
                                    default(System.Runtime.InteropServices.GCHandle), this);
        }

        public override void Unpin()
        {
        }

        protected override void Dispose(bool disposing)
        {
            if (disposing) tensor.Dispose();
        }
    }
}
