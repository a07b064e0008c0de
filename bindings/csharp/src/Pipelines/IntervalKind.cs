using Ckpt.Interop;

namespace Ckpt.Pipelines
{
    /// <summary>What a stage does in an interval of a step.</summary>
    public enum IntervalKind
    {
        /// <summary>Computes forwards.</summary>
        Forward = native.CKPT_INTERVAL_KIND_FORWARD,
        /// <summary>Computes forwards again.</summary>
        Recompute = native.CKPT_INTERVAL_KIND_RECOMPUTE,
        /// <summary>Computes backwards.</summary>
        Backward = native.CKPT_INTERVAL_KIND_BACKWARD,
        /// <summary>Sends, or waits for a neighbour.</summary>
        Wait = native.CKPT_INTERVAL_KIND_WAIT,
    }
}
