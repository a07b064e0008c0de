using System;
using System.Buffers;
using System.Runtime.InteropServices;

namespace Ckpt.Interop
{
    // Memory of this side in a tensor: pinned until the tensor's last reference goes, on whatever thread that is.
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
                                              Marshal.GetFunctionPointerForDelegate(release), GCHandle.ToIntPtr(lent.self),
                                                  out tensor);
                }
                return tensor;
            }
            catch (CkptException)
            {
                lent.End();
                throw;
            }
        }

        private static void End(IntPtr lent)
        {
            ((LentMemory)GCHandle.FromIntPtr(lent).Target).End();
        }

        private void End()
        {
            pin.Dispose();
            self.Free();
        }
    }
}
