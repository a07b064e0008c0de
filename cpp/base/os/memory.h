// How much physical memory the machine has, asked from the operating system without reading files.
#pragma once

#include <cstdint>

namespace ckpt::base {

struct PhysicalMemory {
  std::int64_t total_bytes = 0;
  std::int64_t free_bytes = 0;  // held by nobody, page cache not counted: less than what could be had
};

// Zeros when the system does not tell.
PhysicalMemory physical_memory() noexcept;

}  // namespace ckpt::base
