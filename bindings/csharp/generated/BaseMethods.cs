// Generated from include/ckpt by tools/api: do not edit.
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
