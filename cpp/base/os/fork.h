// Identifies the process in one load: a forked child detects locks that were held by a thread of its parent.
#pragma once

#include <atomic>
#include <cstdint>

namespace ckpt::base {

namespace detail {
extern std::atomic<std::uint32_t> process_mark;
}

// Returns a number above 0 that differs from the parent process's.
inline std::uint32_t process_mark() noexcept { return detail::process_mark.load(std::memory_order_relaxed); }

}  // namespace ckpt::base
