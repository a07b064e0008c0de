using System;
using System.Diagnostics.CodeAnalysis;
using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>The BLAS that layers run on. A process that never runs one never loads one.</summary>
    public static class Blas
    {
        /// <summary>Loads it now and gives its name, version and core, and a wider set of kernels that this processor can run, if
        /// any. CkptNotFoundException lists what was tried.</summary>
        /// <returns>One line.</returns>
        public static string Info()
        {
            return native.ckpt_blas_get_info();
        }

        /// <summary>Loads OpenBLAS now with a set of its kernels. Works once, and only if this process has not loaded that OpenBLAS
        /// before: else CkptInvalidStateException. While it runs, no other thread may use the C library's environment. Every other
        /// user of the same file gets these kernels, too. CkptInvalidArgumentException for an unknown name and for kernels that the
        /// processor cannot run; CkptUnsupportedException on processors other than x86-64, or if that OpenBLAS lacks them, which is
        /// then in use with others.</summary>
        /// <param name="name">"best", or the name of a core, such as "SkylakeX" or "Haswell".</param>
        public static void SetKernels(string name)
        {
            native.ckpt_blas_set_kernels(name);
        }

        /// <summary>Uses another BLAS in this process. CkptInvalidStateException once one is in use.</summary>
        /// <param name="sgemm">Address of its cblas_sgemm, valid for the process's life.</param>
        /// <param name="dgemm">Address of its cblas_dgemm.</param>
        /// <param name="name">For Info.</param>
        /// <param name="concurrent">Whether several threads may call it at once.</param>
        public static void Set(IntPtr sgemm, IntPtr dgemm, [AllowNull] string name = null, bool concurrent = false)
        {
            native.ckpt_blas_set((long)sgemm, (long)dgemm, concurrent ? 1 : 0, name);
        }
    }
}
