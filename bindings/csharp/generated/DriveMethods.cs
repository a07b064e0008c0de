// Generated from include/ckpt by tools/api: do not edit.
using Ckpt.Interop;

namespace Ckpt
{
    public partial class Driver<T>
    {
        /// <summary>Sets the number of steps of an open-ended schedule to layerCount (&gt;= 1, and at least the steps that were
        /// already asked for): within a callback, of the step that runs; else of the next one. Each step has a number of its own.
        /// <see cref="CkptStatus.InvalidState"/> when the number is known already, or when the step is behind its
        /// <see cref="ActionKind.Turn"/>.</summary>
        public void Finalize(long layerCount)
        {
            native.ckpt_driver_finalize(Handle, layerCount);
        }

        /// <summary>Ends the step: one that runs ends with <see cref="CheckpointTaskState.Cancelled"/> at its next action, one that
        /// is paused at <see cref="ActionKind.Turn"/> is over when this returns, its handles dropped on this thread. Without a step
        /// it does nothing. Any thread, also a callback of the driver. Not async-signal-safe: a signal handler sets a flag instead,
        /// which a callback reads.</summary>
        public void Cancel()
        {
            native.ckpt_driver_cancel(Handle);
        }
    }
}
