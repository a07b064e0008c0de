package org.ckpt;

/** The linear algebra library that layers run on. It is loaded at its first use. */
public final class Blas extends BlasMethods {
  private Blas() {}

  /**
   * Uses another BLAS.
   *
   * @param sgemm address of its cblas_sgemm, valid until the process ends
   * @param dgemm address of its cblas_dgemm, valid until the process ends
   * @param name the name that {@link #info} reports
   * @param concurrent whether several threads may call it at once
   */
  public static void set(long sgemm, long dgemm, String name, boolean concurrent) {
    Native.ckpt_blas_set(sgemm, dgemm, concurrent ? 1 : 0, name);
  }
}
