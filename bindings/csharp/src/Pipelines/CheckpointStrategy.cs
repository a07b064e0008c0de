using Ckpt.Interop;

namespace Ckpt.Pipelines
{
    /// <summary>Which micro-batches' activations stay from forward to backward; Ckpt.CheckpointStrategy is about layers.</summary>
    public enum CheckpointStrategy
    {
        /// <summary>All: most memory, fastest backward.</summary>
        StoreAll = native.CKPT_ACTIVATION_POLICY_KIND_STORE_ALL,
        /// <summary>None: least memory, slowest backward.</summary>
        RecomputeAll = native.CKPT_ACTIVATION_POLICY_KIND_RECOMPUTE_ALL,
        /// <summary>Every n-th, and always the first and the last.</summary>
        Selective = native.CKPT_ACTIVATION_POLICY_KIND_SELECTIVE,
        /// <summary>What fits a threshold; the oldest go first, the first and the last stay.</summary>
        MemoryBased = native.CKPT_ACTIVATION_POLICY_KIND_MEMORY_BASED,
        /// <summary>What a strategy answers yes to.</summary>
        Custom = native.CKPT_ACTIVATION_POLICY_KIND_STRATEGY,
        /// <summary>Picked by the tracker's pressure when a step begins.</summary>
        Automatic = native.CKPT_ACTIVATION_POLICY_KIND_AUTOMATIC,
    }
}
