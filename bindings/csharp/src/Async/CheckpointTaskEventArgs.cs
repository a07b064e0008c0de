using System;

namespace Ckpt
{
    /// <summary>A background task ended.</summary>
    public sealed class CheckpointTaskEventArgs : EventArgs
    {
        internal CheckpointTaskEventArgs(CheckpointTaskResult result)
        {
            Result = result;
        }

        /// <summary>How.</summary>
        public CheckpointTaskResult Result { get; }
    }
}
