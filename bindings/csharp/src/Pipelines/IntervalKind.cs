using Ckpt.Interop;

namespace Ckpt.Pipelines
{
    /// <summary>What a stage does in an interval of a step.</summary>
    public enum IntervalKind
    {
        /// <summary>Computes forwards.</summary>
        Forward = native.CKPT_INTERVAL_FORWARD,
        /// <summary>Computes forwards again.</summary>
        Recompute = native.CKPT_INTERVAL_RECOMPUTE,
        /// <summary>Computes backwards.</summary>
        Backward = native.CKPT_INTERVAL_BACKWARD,
        /// <summary>Sends, or waits for a neighbour.</summary>
        Wait = native.CKPT_INTERVAL_WAIT,
    }
}
