using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>One layer with its parameters, to be added to a chain. Activations are F32 or F64 tensors; the first dimension
    /// counts samples.</summary>
    public sealed partial class Layer : NativeObject
    {
        private Layer(NativeHandle handle) : base(handle) { }

        private static Layer Created(Maker make) => new Layer(Created(make, native.ckpt_layer_release));

        /// <summary>Creates a layer from its kind and values: new Layer("fc", "linear", 128, 256) or new Layer("fc",
        /// "linear:128,256").</summary>
        /// <param name="name">Not blank.</param>
        /// <param name="kind">One of KnownKinds.</param>
        /// <param name="values">Numbers or strings.</param>
        public Layer(string name, string kind, params object[] values)
            : base(Created((out IntPtr created) => native.ckpt_layer_create(name, Joined(kind, values), out created), native.ckpt_layer_release))
        {
        }

        private static string Joined(string kind, object[] values)
        {
            if (kind == null || values.Length == 0) return kind;
            return kind + ":" + string.Join(",", values.Select(value => Convert.ToString(value, CultureInfo.InvariantCulture)));
        }

        /// <summary>The kinds of layers: the form of each, what it does, and the range of each whole number.</summary>
        public static IReadOnlyList<string> KnownKinds => native.ckpt_layer_get_known_kinds().Split('\n');

        /// <summary>Creates a layer that calls a custom one, which it keeps alive.</summary>
        /// <param name="name">Not blank.</param>
        /// <param name="layer">The custom layer, which owns its parameters and their gradients.</param>
        public static Layer Custom(string name, CustomLayer layer)
        {
            if (layer == null) throw new ArgumentNullException("layer");
            return Created((out IntPtr created) => native.ckpt_layer_create_custom(name, (uint)layer.Flags, layer.Options,
                layer.AmbientBytes, layer.HasRecord, new LayerCalls { layer = layer }, out created));
        }
    }
}
