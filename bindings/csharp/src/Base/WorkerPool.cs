using System;
using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>A fixed set of threads that work through numbered parts: the C API's thread pool, under a name that
    /// System.Threading does not have. Several threads may use it at once.</summary>
    public sealed class WorkerPool : NativeObject
    {
        /// <summary>Starts the threads.</summary>
        /// <param name="threads">1 .. 1024, the calling one included; 0: as many as the process may use.</param>
        public WorkerPool(int threads = 0) : base(Made(threads))
        {
        }

        private static NativeHandle Made(int threads)
        {
            IntPtr pool;
            native.ckpt_worker_pool_create(threads, out pool);
            return new NativeHandle(pool, native.ckpt_worker_pool_release, true);
        }

        /// <summary>Threads of the pool, the caller's included.</summary>
        public int Threads
        {
            get { return native.ckpt_worker_pool_get_thread_count(Handle); }
        }

        /// <summary>Calls work for every part 0 .. parts-1, on several threads, and returns when all are done.
        /// CheckpointCallbackException when one threw; parts not begun are skipped then.</summary>
        /// <param name="parts">At least 0.</param>
        /// <param name="work">Gets the part's number.</param>
        public void Run(long parts, Action<long> work)
        {
            if (work == null) throw new ArgumentNullException("work");
            using (var function = new PartFunction(work)) native.ckpt_worker_pool_run(Handle, parts, function);
        }
    }
}
