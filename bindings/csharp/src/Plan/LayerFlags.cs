using System;
using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>What a layer's backward reads, and whether it may be run again.</summary>
    [Flags]
    public enum LayerFlags : uint
    {
        /// <summary>Nothing of that.</summary>
        None = 0,
        /// <summary>Backward reads the layer's input.</summary>
        NeedsInput = native.CKPT_LAYER_FLAG_NEEDS_INPUT,
        /// <summary>Backward reads the layer's output.</summary>
        NeedsOutput = native.CKPT_LAYER_FLAG_NEEDS_OUTPUT,
        /// <summary>Running forward again gives the same bits; without it the layer is never recomputed.</summary>
        Deterministic = native.CKPT_LAYER_FLAG_DETERMINISTIC,
        /// <summary>Backward makes no gradient of the input: only for the first layer.</summary>
        NoInputGradient = native.CKPT_LAYER_FLAG_NO_INPUT_GRADIENT,
        /// <summary>What most layers are.</summary>
        Default = NeedsInput | Deterministic,
    }
}
