// Special-purpose system clocks; base/clock.h has the usual ones.
#pragma once

#include <cstdint>

namespace ckpt::base {

// Returns the monotonic clock as of the last timer tick (1 to 10 ms ago): the time base of monotonic_clock() at a fraction of its
// cost. For "last used" times.
std::int64_t coarse_now_ns() noexcept;

// Returns nanoseconds since boot, including suspended time where the system measures it (CLOCK_BOOTTIME).
std::int64_t since_boot_ns() noexcept;

}  // namespace ckpt::base
