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

    public partial class Library
    {
        /// <summary>Returns the version of the loaded library as a string: "major.minor.patch".</summary>
        public static string VersionString
        {
            get
            {
                return native.ckpt_version_string();
            }
        }

        /// <summary>Returns the compiler, build type and sanitizers of this build in one line, without paths and dates.</summary>
        public static string BuildInfo
        {
            get
            {
                return native.ckpt_build_info();
            }
        }

        /// <summary>Returns true when this build has the named feature, else false. Known: "threads", "fork-safe", "blas-dlopen",
        /// "dlpack", "safetensors", "multiversioned-kernels". Unknown names and null return false.</summary>
        public static bool Feature(string name)
        {
            return native.ckpt_feature(name) != 0;
        }

        /// <summary>Returns the number of threads that a CPU-bound computation should use: the processors that this process may run
        /// on (affinity mask), at most its cgroup's CPU quota (v1 or v2), rounded up; at least 1.</summary>
        public static int AvailableThreads
        {
            get
            {
                return native.ckpt_available_threads();
            }
        }
    }

    public partial class WorkerPool
    {
        internal WorkerPool(NativeHandle handle) : base(handle)
        {
        }

        /// <summary>Creates a pool. threadCount: 1 .. 1024, the calling thread included; 0:
        /// <c>Library.AvailableThreads</c>().</summary>
        public WorkerPool(int threadCount = 0)
            : this(Created((out IntPtr created) =>
                native.ckpt_worker_pool_create(threadCount, out created), native.ckpt_worker_pool_release, true))
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
