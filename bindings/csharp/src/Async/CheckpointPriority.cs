using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>Tasks of a higher one begin first, of equal ones the older.</summary>
    public enum CheckpointPriority
    {
        /// <summary>After the others.</summary>
        Low = native.CKPT_PRIORITY_LOW,
        /// <summary>What is usual.</summary>
        Normal = native.CKPT_PRIORITY_NORMAL,
        /// <summary>Before the others.</summary>
        High = native.CKPT_PRIORITY_HIGH,
    }
}
