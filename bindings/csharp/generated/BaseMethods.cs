// Generated from include/ckpt by tools/api: do not edit.
using System;
using Ckpt.Interop;

namespace Ckpt
{
    public partial class Clock
    {
        /// <summary>Moves a manual clock forward by duration (&gt;= 0). <see cref="CkptStatus.InvalidState"/> for any other clock,
        /// <see cref="CkptStatus.OutOfRange"/> past 2^63 - 1.</summary>
        public void Advance(long duration)
        {
            native.ckpt_clock_advance(Handle, duration);
        }
    }

    public partial class WorkerPool
    {
        internal WorkerPool(NativeHandle handle) : base(handle)
        {
        }

        /// <summary>Creates a pool. threadCount: 1 .. 1024, the calling thread included; 0 takes
        /// <c>AvailableThreads</c>().</summary>
        public WorkerPool(int threadCount = 0)
            : this(Made((out IntPtr made) =>
                native.ckpt_worker_pool_create(threadCount, out made), native.ckpt_worker_pool_release, true))
        {
        }

        /// <summary>Returns the number of threads of the pool, the caller's included.</summary>
        public int ThreadCount
        {
            get
            {
                int value;
                native.ckpt_worker_pool_get_thread_count(Handle, out value);
                return value;
            }
        }
    }
}
