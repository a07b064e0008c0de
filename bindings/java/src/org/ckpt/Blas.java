package org.ckpt;

/** The linear algebra library that layers run on. It is loaded at its first use. */
public final class Blas {
  private Blas() {}

  /**
   * Loads the BLAS now.
   *
   * @return its name, version and core, and a wider set of kernels that this processor can run, if any
   */
  public static String info() {
    return Native.ckpt_blas_get_info();
  }

  /**
   * Loads OpenBLAS now with a set of its kernels. Works once, and only if this process has not loaded that OpenBLAS before. While it
   * runs, no other thread may use the C library's environment: call it before libraries of other origin have started threads. Every
   * other user of the same file gets these kernels, too.
   *
   * @param name "best", or the name of a core, such as "SkylakeX" or "Haswell"
   * @throws CkptInvalidArgumentException for an unknown name and for kernels that the processor cannot run
   * @throws CkptInvalidStateException if it is too late
   * @throws CkptUnsupportedException on processors other than x86-64, or if that OpenBLAS lacks them, which is then in use with others
   */
  public static void setKernels(String name) {
    Native.ckpt_blas_set_kernels(name);
  }

  /**
   * Uses another BLAS.
   *
   * @param sgemm address of its cblas_sgemm, valid for the process's life
   * @param dgemm address of its cblas_dgemm, valid for the process's life
   * @param name for {@link #info}
   * @param concurrent whether several threads may call it at once
   */
  public static void set(long sgemm, long dgemm, String name, boolean concurrent) {
    Native.ckpt_blas_set(sgemm, dgemm, concurrent ? 1 : 0, name);
  }
}
