// Which process this is, in one load: for locks, which a forked child may find held by a thread that stayed in its parent.
#pragma once

#include <atomic>
#include <cstdint>

namespace ckpt::base {

namespace detail {
extern std::atomic<std::uint32_t> process_mark;
}

// Above 0, and another number than in the process that forked this one.
inline std::uint32_t process_mark() noexcept { return detail::process_mark.load(std::memory_order_relaxed); }

}  // namespace ckpt::base
