using Ckpt.Interop;

namespace Ckpt.Pipelines
{
    /// <summary>In which order stages run the micro-batches. Gradients are the same under each.</summary>
    public enum PipelineOrder
    {
        /// <summary>All forwards, then all backwards.</summary>
        GPipe = native.CKPT_PIPELINE_ORDER_GPIPE,
        /// <summary>After a warm-up one forward, one backward, in turn.</summary>
        OneForwardOneBackward = native.CKPT_PIPELINE_ORDER_1F1B,
        /// <summary>The same over several chunks a stage.</summary>
        Interleaved = native.CKPT_PIPELINE_ORDER_INTERLEAVED,
    }
}
