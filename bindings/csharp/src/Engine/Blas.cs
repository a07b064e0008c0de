using System;
using System.Diagnostics.CodeAnalysis;
using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>The BLAS that layers run on. It is loaded when the first layer runs.</summary>
    public static partial class Blas
    {
        /// <summary>Uses another BLAS in this process. Throws CkptInvalidStateException once one is in use.</summary>
        /// <param name="sgemm">Address of its cblas_sgemm, valid until the process ends.</param>
        /// <param name="dgemm">Address of its cblas_dgemm, valid until the process ends.</param>
        /// <param name="name">The name that Info reports.</param>
        /// <param name="concurrent">Whether several threads may call it at once.</param>
        public static void Set(IntPtr sgemm, IntPtr dgemm, [AllowNull] string name = null, bool concurrent = false)
            => native.ckpt_blas_set((long)sgemm, (long)dgemm, concurrent ? 1 : 0, name);
    }
}
