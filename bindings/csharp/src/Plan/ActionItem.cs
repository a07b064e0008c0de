using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>What memory holds.</summary>
    public enum ActionItem
    {
        /// <summary>Nothing.</summary>
        None = native.CKPT_ITEM_NONE,
        /// <summary>What a layer reads; the last one is the chain's output.</summary>
        Input = native.CKPT_ITEM_INPUT,
        /// <summary>What a layer recorded for its backward.</summary>
        Tape = native.CKPT_ITEM_TAPE,
        /// <summary>The gradient with respect to a layer's input.</summary>
        Gradient = native.CKPT_ITEM_GRAD,
    }
}
