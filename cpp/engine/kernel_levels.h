// Compiles one loop body for several instruction sets; the widest one that the processor supports runs, unless a test selects
// another. Every level computes the same bits: no body may depend on the vector width.
#pragma once

#include <cstdint>

namespace ckpt::engine {

enum class KernelLevel : std::int32_t { baseline, avx2, avx512 };

// Returns the widest level that this processor supports.
KernelLevel widest_kernel_level() noexcept;
// Returns the current level.
KernelLevel kernel_level() noexcept;
// For tests and measurements; Error(unsupported) if the processor does not support the level.
void set_kernel_level(KernelLevel level);

}  // namespace ckpt::engine

#if defined(__GNUC__)
#define CKPT_INLINE __attribute__((always_inline)) inline
#else
#define CKPT_INLINE inline
#endif

// Asserts that the iterations of the following loop are independent: an output array may be the same as an input array, at the
// same index.
#if defined(__clang__)
#define CKPT_ELEMENTWISE _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define CKPT_ELEMENTWISE _Pragma("GCC ivdep")
#else
#define CKPT_ELEMENTWISE
#endif

// Defines `Result name parameters`, which calls name_body arguments: CKPT_KERNEL(void, scale, (float* x, std::int64_t n), (x, n)).
// Parentheses protect commas between parameters.
#if defined(__x86_64__) && defined(__GNUC__)
#define CKPT_KERNEL(Result, name, parameters, arguments)                                                      \
  static Result name##_baseline parameters { return name##_body arguments; }                                  \
  __attribute__((target("avx2"))) static Result name##_avx2 parameters { return name##_body arguments; }      \
  __attribute__((target("avx512f"))) static Result name##_avx512 parameters { return name##_body arguments; } \
  Result name parameters {                                                                                    \
    switch (kernel_level()) {                                                                                 \
      case KernelLevel::avx512: return name##_avx512 arguments;                                               \
      case KernelLevel::avx2: return name##_avx2 arguments;                                                   \
      case KernelLevel::baseline: break;                                                                      \
    }                                                                                                         \
    return name##_baseline arguments;                                                                         \
  }
#else
#define CKPT_KERNEL(Result, name, parameters, arguments) \
  Result name parameters { return name##_body arguments; }
#endif
