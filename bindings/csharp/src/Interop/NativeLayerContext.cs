using System.Runtime.InteropServices;

namespace Ckpt.Interop
{
    // ckpt_layer_context.
    [StructLayout(LayoutKind.Sequential)]
    internal unsafe struct NativeLayerContext
    {
        internal uint StructSize;
        internal int Option;
        internal int MicroBatch;
        internal int Recomputation;
        internal long Layer;
        internal long Step;
        internal ulong Seed;
        internal long FirstSample;
        internal NativeSpec* Input;
        internal NativeSpec* Output;
    }
}
