// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/** The methods of {@link Ckpt} that are one call of the C API. */
abstract class CkptMethods {
  /** Returns the version of the loaded library as a string: "major.minor.patch". */
  public static String versionString() {
    return Native.ckpt_version_string();
  }

  /** Returns the compiler, build type and sanitizers of this build in one line, without paths and dates. */
  public static String buildInfo() {
    return Native.ckpt_build_info();
  }

  /**
   * Returns true when this build has the named feature, else false. Known: "threads", "fork-safe", "blas-dlopen", "dlpack",
   * "safetensors", "multiversioned-kernels". Unknown names and null return false.
   */
  public static boolean hasFeature(String name) {
    return Native.ckpt_feature(name) != 0;
  }

  /**
   * Returns the number of threads that a CPU-bound computation should use: the processors that this process may run on (affinity
   * mask), at most its cgroup's CPU quota (v1 or v2), rounded up; at least 1.
   */
  public static int availableThreads() {
    return Native.ckpt_available_threads();
  }
}
