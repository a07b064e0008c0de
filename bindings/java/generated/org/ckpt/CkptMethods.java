// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/** The methods of {@link Ckpt} that are one call of the C API. */
abstract class CkptMethods {
  /** The version of the library that is loaded, as text: "major.minor.patch". Static string. */
  public static String versionString() {
    return Native.ckpt_version_string();
  }

  /** Compiler, build type and sanitizers of this build in one line. Static string, no paths, no dates. */
  public static String buildInfo() {
    return Native.ckpt_build_info();
  }

  /**
   * Returns 1 when this build has the named feature, else 0. Known: "threads", "fork-safe", "blas-dlopen", "dlpack", "safetensors",
   * "multiversioned-kernels". Unknown names and null return 0.
   */
  public static boolean hasFeature(String name) {
    return Native.ckpt_feature(name) != 0;
  }

  /**
   * Threads that a busy computation should use: the processors that this process may run on (affinity mask), and no more than its
   * cgroup's CPU quota (v1 or v2), rounded up; at least 1.
   */
  public static int availableThreads() {
    return Native.ckpt_available_threads();
  }
}
