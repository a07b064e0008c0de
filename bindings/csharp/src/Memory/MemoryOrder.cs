using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>Orders of the layers in a snapshot; equals by number.</summary>
    public enum MemoryOrder
    {
        /// <summary>By number.</summary>
        Id = native.CKPT_MEMORY_ORDER_ID,
        /// <summary>Most live bytes first.</summary>
        Current = native.CKPT_MEMORY_ORDER_CURRENT,
        /// <summary>Highest peak first.</summary>
        Peak = native.CKPT_MEMORY_ORDER_PEAK,
    }
}
