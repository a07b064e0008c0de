using System;
using System.Diagnostics.CodeAnalysis;
using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>The BLAS that layers run on. A process that never runs one never loads one.</summary>
    public static partial class Blas
    {
        /// <summary>Uses another BLAS in this process. CkptInvalidStateException once one is in use.</summary>
        /// <param name="sgemm">Address of its cblas_sgemm, valid for the process's life.</param>
        /// <param name="dgemm">Address of its cblas_dgemm.</param>
        /// <param name="name">For Info.</param>
        /// <param name="concurrent">Whether several threads may call it at once.</param>
        public static void Set(IntPtr sgemm, IntPtr dgemm, [AllowNull] string name = null, bool concurrent = false)
            => native.ckpt_blas_set((long)sgemm, (long)dgemm, concurrent ? 1 : 0, name);
    }
}
