using System;
using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>The dtype and shape of an activation.</summary>
    public sealed class TensorSpec
    {
        /// <summary>A dtype and a shape.</summary>
        /// <param name="dtype">Of the elements.</param>
        /// <param name="shape">0 .. 8 lengths.</param>
        public TensorSpec(DType dtype, params long[] shape)
        {
            if (shape == null) throw new ArgumentNullException("shape");
            if (shape.Length > Tensor.LargestRank)
                throw new CheckpointInvalidArgumentException("shape has " + shape.Length + " dimensions; at most "
                    + Tensor.LargestRank);
            DType = dtype;
            Shape = shape;
        }

        internal unsafe TensorSpec(NativeSpec* from)
        {
            DType = (DType)from->DType;
            Shape = new long[from->Rank];
            for (var i = 0; i < Shape.Length; ++i) Shape[i] = from->Shape[i];
        }

        /// <summary>Of the elements.</summary>
        public DType DType { get; }

        /// <summary>The lengths.</summary>
        public long[] Shape { get; }

        internal NativeSpec Native
        {
            get
            {
                var spec = new NativeSpec();
                spec.DType = (int)DType;
                spec.Rank = Shape.Length;
                unsafe
                {
                    for (var i = 0; i < Shape.Length; ++i) spec.Shape[i] = Shape[i];
                }
                return spec;
            }
        }
    }
}
