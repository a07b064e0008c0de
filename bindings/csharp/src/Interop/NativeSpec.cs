using System.Runtime.InteropServices;

namespace Ckpt.Interop
{
    // ckpt_tensor_spec.
    [StructLayout(LayoutKind.Sequential)]
    internal unsafe struct NativeSpec
    {
        internal int DType;
        internal int Rank;
        internal fixed long Shape[8];
    }
}
