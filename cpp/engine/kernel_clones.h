// One body, compiled for several instruction sets; the loader picks one. Sanitizers do not bear the resolvers.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(CKPT_SANITIZED)
#define CKPT_KERNEL __attribute__((target_clones("avx512f", "avx2", "default")))
#define CKPT_INLINE __attribute__((always_inline)) inline
#else
#define CKPT_KERNEL
#define CKPT_INLINE inline
#endif
