using System;
using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>One layer with its parameters, to be added to a chain. Activations are F32 or F64 tensors whose first dimension
    /// counts samples.</summary>
    public sealed class Layer : NativeObject
    {
        private Layer(NativeHandle handle) : base(handle)
        {
        }

        private static Layer Made(Maker make)
        {
            return new Layer(Made(make, native.ckpt_layer_release));
        }

        /// <summary>y = x W + b. Parameters "weight" and "bias".</summary>
        /// <param name="name">Not blank.</param>
        /// <param name="inputs">Of a sample.</param>
        /// <param name="outputs">Of a sample.</param>
        /// <param name="dtype">F32 or F64.</param>
        /// <returns>The layer.</returns>
        public static Layer Linear(string name, long inputs, long outputs, DType dtype = DType.F32)
        {
            return Made((out IntPtr made) => native.ckpt_layer_create_linear(name, inputs, outputs, (int)dtype, out made));
        }

        /// <summary>max(x, 0), element by element.</summary>
        /// <param name="name">Not blank.</param>
        /// <returns>The layer.</returns>
        public static Layer Relu(string name)
        {
            return Made((out IntPtr made) => native.ckpt_layer_create_relu(name, out made));
        }

        /// <summary>GELU in the tanh form.</summary>
        /// <param name="name">Not blank.</param>
        /// <returns>The layer.</returns>
        public static Layer Gelu(string name)
        {
            return Made((out IntPtr made) => native.ckpt_layer_create_gelu(name, out made));
        }

        /// <summary>Looks tokens (U8 or I32) up and puts a sample's vectors one behind another. Parameter "table"; a chain's first
        /// layer.</summary>
        /// <param name="name">Not blank.</param>
        /// <param name="vocabulary">Tokens are below it.</param>
        /// <param name="context">Tokens of a sample.</param>
        /// <param name="width">Of a vector.</param>
        /// <param name="dtype">F32 or F64.</param>
        /// <returns>The layer.</returns>
        public static Layer Embedding(string name, long vocabulary, long context, long width, DType dtype = DType.F32)
        {
            return Made((out IntPtr made) => native.ckpt_layer_create_embedding(name, vocabulary, context, width, (int)dtype,
                out made));
        }

        /// <summary>Sets each element to 0 with a probability and scales the others, by random numbers that a recomputation gives
        /// again.</summary>
        /// <param name="name">Not blank.</param>
        /// <param name="probability">At least 0, below 1.</param>
        /// <returns>The layer.</returns>
        public static Layer Dropout(string name, double probability)
        {
            return Made((out IntPtr made) => native.ckpt_layer_create_dropout(name, probability, out made));
        }

        /// <summary>Mean over the samples of -log softmax(x)[target]; its output is one number.</summary>
        /// <param name="name">Not blank.</param>
        /// <returns>The layer.</returns>
        public static Layer SoftmaxCrossEntropy(string name)
        {
            return Made((out IntPtr made) => native.ckpt_layer_create_softmax_cross_entropy(name, out made));
        }

        /// <summary>A layer that calls you; it keeps your object alive.</summary>
        /// <param name="name">Not blank.</param>
        /// <param name="layer">Your object: parameters and their gradients stay its own.</param>
        /// <returns>The layer.</returns>
        public static Layer Custom(string name, CustomLayer layer)
        {
            if (layer == null) throw new ArgumentNullException("layer");
            return Made((out IntPtr made) => native.ckpt_layer_create_custom(name, (uint)layer.Flags, layer.Options,
                layer.AmbientBytes, new LayerCalls { layer = layer }, out made));
        }
    }
}
