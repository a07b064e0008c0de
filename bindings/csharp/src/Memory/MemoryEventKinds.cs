using System;
using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>Kinds of a tracker's events; a subscription names one or several.</summary>
    [Flags]
    public enum MemoryEventKinds
    {
        /// <summary>None.</summary>
        None = 0,
        /// <summary>An allocation was recorded.</summary>
        Allocated = native.CKPT_MEMORY_EVENT_KIND_ALLOCATED,
        /// <summary>An allocation ended.</summary>
        Freed = native.CKPT_MEMORY_EVENT_KIND_FREED,
        /// <summary>More is live than ever before.</summary>
        NewPeak = native.CKPT_MEMORY_EVENT_KIND_NEW_PEAK,
        /// <summary>The live total rose above the limit.</summary>
        LimitExceeded = native.CKPT_MEMORY_EVENT_KIND_LIMIT_EXCEEDED,
        /// <summary>All of them.</summary>
        All = native.CKPT_MEMORY_EVENT_KIND_ALL,
    }
}
