package org.ckpt;

/** The linear algebra library that layers run on. It is loaded at its first use. */
public final class Blas extends BlasMethods {
  private Blas() {}

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
