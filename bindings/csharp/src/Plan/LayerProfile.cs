using System.Diagnostics.CodeAnalysis;
using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>One layer of a profile.</summary>
    public sealed class LayerProfile
    {
        /// <summary>A layer whose backward reads its input, and which may be run again.</summary>
        public LayerProfile()
        {
            Name = "";
            Flags = LayerFlags.Default;
            Options = 1;
        }

        internal unsafe LayerProfile(string name, int options, ckpt_layer_profile from)
        {
            Name = name;
            Options = options;
            Flags = (LayerFlags)from.flags;
            OutputBytes = from.output_bytes;
            AmbientBytes = from.ambient_bytes;
            if (from.dtype == 0) return;
            var shape = new long[from.ndim];
            for (var i = 0; i < shape.Length; ++i) shape[i] = from.shape[i];
            Output = new TensorSpec((DType)from.dtype, shape);
        }

        /// <summary>Not blank.</summary>
        public string Name { get; set; }

        /// <summary>What its backward reads.</summary>
        public LayerFlags Flags { get; set; }

        /// <summary>Of its output, and of that one's gradient.</summary>
        public long OutputBytes { get; set; }

        /// <summary>Of the state that is saved before the first forward and restored before a recomputation.</summary>
        public long AmbientBytes { get; set; }

        /// <summary>Its output, for strategies; null when it is not known.</summary>
        [MaybeNull, AllowNull]
        public TensorSpec Output { get; set; }

        /// <summary>Ways to run it; told by Profile.Layer.</summary>
        public int Options { get; }
    }
}
