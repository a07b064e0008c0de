using System;
using Ckpt.Interop;

namespace Ckpt
{
    public sealed unsafe partial class TensorSpec
    {
        /// <summary>Creates a pair of an element type and a shape.</summary>
        /// <param name="dtype">Type of the elements.</param>
        /// <param name="shape">0 .. 8 lengths.</param>
        public TensorSpec(DType dtype, params long[] shape)
        {
            if (shape == null) throw new ArgumentNullException("shape");
            NativeList.Lengths(shape);
            DType = dtype;
            Shape = shape;
        }

        internal NativeTensorSpec Native
        {
            get
            {
                var spec = new NativeTensorSpec { dtype = (int)DType, ndim = Shape.Length };
                for (var i = 0; i < Shape.Length; ++i) spec.shape[i] = Shape[i];
                return spec;
            }
        }
    }
}
