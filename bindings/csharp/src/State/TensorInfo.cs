using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>One tensor of a reader.</summary>
    public sealed class TensorInfo
    {
        internal unsafe TensorInfo(long index, ckpt_tensor_info from)
        {
            Index = index;
            Group = Utf8.Text(from.group);
            Name = Utf8.Text(from.name);
            DType = (DType)from.dtype;
            Shape = new long[from.ndim];
            for (var i = 0; i < Shape.Length; ++i) Shape[i] = from.shape[i];
            Bytes = from.bytes;
            Offset = from.offset;
        }

        /// <summary>Its number in the reader.</summary>
        public long Index { get; }

        /// <summary>Of the checkpoint; "" for files without groups.</summary>
        public string Group { get; }

        /// <summary>May be empty.</summary>
        public string Name { get; }

        /// <summary>Of its elements.</summary>
        public DType DType { get; }

        /// <summary>May have more lengths than a Tensor can have.</summary>
        public long[] Shape { get; }

        /// <summary>Of its elements.</summary>
        public long Bytes { get; }

        /// <summary>Of its first byte, from the start of the file.</summary>
        public long Offset { get; }
    }
}
