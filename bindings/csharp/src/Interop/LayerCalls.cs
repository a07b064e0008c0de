using System;

namespace Ckpt.Interop
{
    // The library's calls of a CustomLayer.
    internal sealed unsafe class LayerCalls : LayerFunctions
    {
        private readonly CustomLayer layer;

        internal LayerCalls(CustomLayer layer)
        {
            this.layer = layer;
        }

        public override IntPtr output(IntPtr input)
        {
            var made = layer.Output(new TensorSpec((NativeSpec*)input));
            if (made == null) throw new InvalidOperationException("Output returned null");
            var place = native.ckpt_csharp_result_place();
            *(NativeSpec*)place = made.Native;
            return place;
        }

        public override IntPtr option(IntPtr input, int number)
        {
            var bytes = layer.Option(new TensorSpec((NativeSpec*)input), number);
            var place = native.ckpt_csharp_result_place();
            *(LayerBytes*)place = bytes;
            return place;
        }

        public override void forward(IntPtr context, IntPtr input, IntPtr output, IntPtr tape, IntPtr workspace)
        {
            layer.Forward(Context(context), NativeBytes.Of(input), NativeBytes.Of(output), NativeBytes.Of(tape),
                NativeBytes.Of(workspace));
        }

        public override void backward(IntPtr context, IntPtr input, IntPtr output, IntPtr tape, IntPtr gradOutput, IntPtr gradInput,
                                      IntPtr workspace)
        {
            layer.Backward(Context(context), NativeBytes.Of(input), NativeBytes.Of(output), NativeBytes.Of(tape),
                NativeBytes.Of(gradOutput),
                           NativeBytes.Of(gradInput), NativeBytes.Of(workspace));
        }

        public override void save_ambient(IntPtr state)
        {
            layer.SaveAmbient(NativeBytes.Of(state));
        }

        public override void restore_ambient(IntPtr state)
        {
            layer.RestoreAmbient(NativeBytes.Of(state));
        }

        // ckpt_swig::LayerContext holds a pointer.
        private static LayerContext Context(IntPtr context)
        {
            return new LayerContext(*(NativeLayerContext**)context);
        }
    }
}
