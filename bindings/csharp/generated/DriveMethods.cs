// Generated from include/ckpt by tools/api: do not edit.
using Ckpt.Interop;

namespace Ckpt
{
    public partial class Driver<T>
    {
        /// <summary>Sets the number of steps of an open-ended schedule to layerCount (&gt;= 1, and at least the number of steps
        /// that were already requested): inside a callback for the current step, else for the next one. The number applies to one
        /// step only. <see cref="CkptStatus.InvalidState"/> if the number is known already, or if the step is past its
        /// <see cref="ActionKind.Turn"/>.</summary>
        public void Finalize(long layerCount)
        {
            native.ckpt_driver_finalize(Handle, layerCount);
        }

        /// <summary>Cancels the step: a running step fails with <see cref="CheckpointTaskState.Cancelled"/> at its next action; a
        /// step that is paused at <see cref="ActionKind.Turn"/> has ended when this returns, and its handles were dropped on this
        /// thread. Without a step it does nothing. May be called on any thread, also in a callback of the driver. Not
        /// async-signal-safe: in a signal handler set a flag that a callback reads.</summary>
        public void Cancel()
        {
            native.ckpt_driver_cancel(Handle);
        }
    }
}
