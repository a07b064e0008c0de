// Clocks of the system for special uses; base/clock.h has the usual ones.
#pragma once

#include <cstdint>

namespace ckpt::base {

// The monotonic clock as of the last timer tick (1 to 10 ms ago): the same time base as monotonic_clock() at a fraction of its
// cost. For "when was this last seen".
std::int64_t coarse_now_ns() noexcept;

// Nanoseconds since the system was started. Includes suspended time where the system measures it (CLOCK_BOOTTIME).
std::int64_t since_boot_ns() noexcept;

}  // namespace ckpt::base
