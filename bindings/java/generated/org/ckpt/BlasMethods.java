// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/** The methods of {@link Blas} that are one call of the C API. */
abstract class BlasMethods {
  /**
   * Loads the BLAS now (OpenBLAS: the file that the environment variable CKPT_OPENBLAS names, else libopenblas.so.0). Returns its
   * name, version and core as a string. If this processor can run a wider set of OpenBLAS's kernels than the one in use, the string
   * continues after a semicolon with the names of both. This does not depend on environment variables. One warning is logged when
   * the BLAS is loaded. Nothing is added for the BLAS of {@code Blas.set}. {@link Status#NOT_FOUND} if OpenBLAS is missing; the
   * message lists the files that were tried. {@link Status#FORKED}, as from every function that needs a matrix product, in a child
   * that was forked while another thread loaded the BLAS.
   */
  public static String info() {
    return Native.ckpt_blas_get_info();
  }

  /**
   * Loads OpenBLAS now, with the given set of its kernels. Without this call OpenBLAS chooses a set when it is loaded, by the
   * environment variable OPENBLAS_CORETYPE or by its list of processor models; a version that is older than the processor may
   * choose its slowest set. Results of different sets differ in their last bits. The library itself never calls this function.
   * name: "best", or the name of a core of OpenBLAS, in upper or lower case. "best" is the fastest set for products of floats and
   * doubles that the processor can run. It is one of those that every OpenBLAS 0.3 with several sets (DYNAMIC_ARCH) contains. The
   * names, and the instructions that the processor and the operating system must offer: - "SkylakeX": AVX-512 F, CD, BW, DQ and VL;
   * "Cooperlake": also VNNI and BF16; "SapphireRapids": also FP16 and AMX-BF16 - "Haswell": AVX2 and FMA; "Zen": the same, on
   * processors of AMD and Hygon - "Excavator", "Steamroller", "Piledriver", "Bulldozer": AMD's family 15h - "Sandybridge": AVX;
   * "Nehalem": SSE4.2; "Penryn", "Dunnington": SSE4.1; "Core2": SSSE3; "Prescott": SSE3 - "Barcelona": AMD's family 10h OpenBLAS
   * belongs to the whole process: every other user of the same shared library gets these kernels, too. The function sets
   * OPENBLAS_CORETYPE while OpenBLAS is loaded and restores it before it returns. The C library does not synchronize the
   * environment. During the call no other thread may use it, neither directly (getenv, setenv) nor in a library: call this function
   * before the process starts threads. {@link Status#INVALID_ARGUMENT} for an unknown name and for kernels that the processor
   * cannot run; the message lists those that it can. {@link Status#INVALID_STATE} if a BLAS is in use, if {@code Blas.set} was
   * called, or if the process has loaded that OpenBLAS before. The path does not matter (a program that links it, another library,
   * LD_PRELOAD); the message names the file and its kernels. {@link Status#NOT_FOUND} as from {@code Blas.info}. {@link
   * Status#UNSUPPORTED} on processors other than x86-64. These errors change nothing. {@link Status#UNSUPPORTED} also if the
   * installed OpenBLAS lacks the named set, which is detected only after loading: OpenBLAS is then in use with the set that it
   * chose instead, which the message and {@code Blas.info} name; "best" succeeds in this case. {@link Status#FORKED} as from {@code
   * Blas.info}.
   */
  public static void setKernels(String name) {
    Native.ckpt_blas_set_kernels(name);
  }
}
