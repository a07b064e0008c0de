// Time since the system was started.
#pragma once

#include <cstdint>

namespace ckpt::base {

// Nanoseconds. Includes time in which the system was suspended where the system measures it (CLOCK_BOOTTIME).
std::int64_t since_boot_ns() noexcept;

}  // namespace ckpt::base
