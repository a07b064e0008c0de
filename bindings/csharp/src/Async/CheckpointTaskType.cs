using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>What a background task does.</summary>
    public enum CheckpointTaskType
    {
        /// <summary>Writes a checkpoint.</summary>
        Save = native.CKPT_CHECKPOINT_TASK_KIND_SAVE,
        /// <summary>Fills a state.</summary>
        Load = native.CKPT_CHECKPOINT_TASK_KIND_LOAD,
    }
}
