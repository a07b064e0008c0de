using System;

namespace Ckpt.Interop
{
    internal sealed class StageFunction : StageForward
    {
        private readonly Func<Tensor, long, Tensor> function;

        internal StageFunction(Func<Tensor, long, Tensor> function)
        {
            this.function = function;
        }

        public override IntPtr forward(IntPtr input, long microBatch)
        {
            using (var lent = new Tensor(new NativeHandle(input, handle => { })))
            {
                var output = function(lent, microBatch);
                if (output == null) throw new InvalidOperationException("the stage's forward returned no tensor");
                return output.Taken(native.ckpt_tensor_retain);
            }
        }
    }
}
