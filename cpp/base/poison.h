// Poisons memory in builds with AddressSanitizer: an access to poisoned memory aborts the program with a report although the
// memory is allocated. No effect in other builds.
#pragma once

#include <cstddef>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CKPT_ADDRESS_SANITIZER 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define CKPT_ADDRESS_SANITIZER 1
#endif
#if defined(CKPT_ADDRESS_SANITIZER)
#include <sanitizer/asan_interface.h>
#endif

namespace ckpt::base {

#if defined(CKPT_ADDRESS_SANITIZER)
inline void poison(const void* begin, std::size_t bytes) noexcept { __asan_poison_memory_region(begin, bytes); }
inline void unpoison(const void* begin, std::size_t bytes) noexcept { __asan_unpoison_memory_region(begin, bytes); }
#else
inline void poison(const void* /*begin*/, std::size_t /*bytes*/) noexcept {}
inline void unpoison(const void* /*begin*/, std::size_t /*bytes*/) noexcept {}
#endif

}  // namespace ckpt::base
