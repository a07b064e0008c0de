using System;
using System.Buffers;
using System.Runtime.InteropServices;

namespace Ckpt.Interop
{
    // Managed memory in a tensor: pinned until the tensor's last reference is released, on any thread.
    internal sealed class LentMemory
    {
        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
        private delegate void Release(IntPtr lent);

        private static readonly Release release = End;
        private MemoryHandle pin;
        private GCHandle self;

        internal static unsafe IntPtr Borrow<T>(Memory<T> memory, DType dtype, long[] shape) where T : struct
        {
            Shutdown.Arm();
            var lent = new LentMemory();
            lent.pin = memory.Pin();
            lent.self = GCHandle.Alloc(lent);
            try
            {
                IntPtr tensor;
                fixed (long* lengths = shape)
                {
                    native.ckpt_tensor_create_borrowed((IntPtr)lent.pin.Pointer, (int)dtype, lengths, shape.Length,
                        GCHandle.ToIntPtr(lent.self), Marshal.GetFunctionPointerForDelegate(release), out tensor);
                }
                return tensor;
            }
            catch (CkptException)
            {
                lent.End();
                throw;
            }
        }

        private static void End(IntPtr lent) => ((LentMemory)GCHandle.FromIntPtr(lent).Target).End();

        private void End()
        {
            pin.Dispose();
            self.Free();
        }
    }

    // A view that holds a separate reference, so that the memory outlives its Tensor.
    internal sealed unsafe class TensorMemory<T> : MemoryManager<T> where T : struct
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

        public override Span<T> GetSpan() => new Span<T>((void*)data, length);

        public override MemoryHandle Pin(int elementIndex = 0)
        {
            if (elementIndex < 0 || elementIndex > length) throw new ArgumentOutOfRangeException("elementIndex");
            var place = (byte*)data + (long)elementIndex * Marshal.SizeOf(typeof(T));
            return new MemoryHandle(place, default(GCHandle), this);
        }

        public override void Unpin() { }

        protected override void Dispose(bool disposing)
        {
            if (disposing) tensor.Dispose();
        }
    }
}
