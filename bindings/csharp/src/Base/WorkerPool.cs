using System;
using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>A fixed set of threads that run numbered parts. Several threads may use it at once.</summary>
    public sealed partial class WorkerPool : NativeObject
    {
        // Wraps a pool that a callback borrows; null for none.
        internal static WorkerPool Lent(IntPtr pool)
            => pool == IntPtr.Zero ? null : new WorkerPool(NativeHandle.Lent(pool));

        /// <summary>Calls work for every part 0 .. partCount-1, on several threads, and returns when all are done.
        /// Throws CkptCallbackException when one threw; parts not begun are skipped then.</summary>
        /// <param name="partCount">At least 0.</param>
        /// <param name="work">Takes the part's number.</param>
        public void Run(long partCount, Action<long> work)
        {
            if (work == null) throw new ArgumentNullException("work");
            using (var function = new PartFunction { function = work }) native.ckpt_worker_pool_run(Handle, partCount, function);
        }
    }
}
