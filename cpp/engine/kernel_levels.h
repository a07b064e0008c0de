// One body of a loop, compiled for several sets of instructions; the widest that the processor has runs, unless a test asks for
// another. Every level computes the same bits: no body may depend on how wide a vector is.
#pragma once

#include <cstdint>

namespace ckpt::engine {

enum class KernelLevel : std::int32_t { baseline, avx2, avx512 };

// The widest level that this processor has instructions for.
KernelLevel widest_kernel_level() noexcept;
// The one that runs.
KernelLevel kernel_level() noexcept;
// For tests and measurements; Error(unsupported) when the processor has no such instructions.
void set_kernel_level(KernelLevel level);

}  // namespace ckpt::engine

#if defined(__GNUC__)
#define CKPT_INLINE __attribute__((always_inline)) inline
#else
#define CKPT_INLINE inline
#endif

// The elements of the loop behind it do not depend on each other: an array that is written may be one that is read, at the same
// place.
#if defined(__clang__)
#define CKPT_ELEMENTWISE _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define CKPT_ELEMENTWISE _Pragma("GCC ivdep")
#else
#define CKPT_ELEMENTWISE
#endif

// Defines `Result name parameters`, which calls name_body arguments: CKPT_KERNEL(void, scale, (float* x, std::int64_t n), (x, n)).
// Parentheses keep commas of parameters together.
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
