namespace Ckpt
{
    /// <summary>Kinds of strategies that choose layers; Pipelines.CheckpointStrategy is about micro-batches.</summary>
    public enum CheckpointStrategy
    {
        /// <summary>Every n-th layer.</summary>
        Interval,
        /// <summary>Layers that are named.</summary>
        Selective,
        /// <summary>Large activations.</summary>
        SizeBased,
        /// <summary>Every n-th layer; n shrinks while memory is short.</summary>
        MemoryAware,
        /// <summary>Large, rarely used and late layers.</summary>
        Smart,
    }
}
