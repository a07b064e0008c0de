// Page-granular memory, and the amount of physical memory, by system calls without reading files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace ckpt::base {

struct PhysicalMemory {
  std::int64_t total_bytes = 0;
  std::int64_t free_bytes = 0;  // unused, without the page cache: a lower bound of the available memory
};

// Returns zeros if the system does not report it.
PhysicalMemory physical_memory() noexcept;

// Asks the system to allocate the whole pages in this range now: one call costs less than the page faults, and another thread can
// make it in advance. Keeps their contents. Advisory.
void populate_pages(std::byte* start, std::size_t bytes) noexcept;

struct UnmapPages {
  std::size_t bytes = 0;
  void operator()(std::byte* start) const noexcept;
};
using Pages = std::unique_ptr<std::byte[], UnmapPages>;

// Returns at least this many zero bytes, page-aligned. The system allocates a page when it is first accessed, huge pages where it
// can. Throws std::bad_alloc.
Pages map_pages(std::size_t bytes);

// Returns at least this many zero bytes followed by an inaccessible guard page, so that an overrun faults. Throws std::bad_alloc.
Pages map_pages_before_guard(std::size_t bytes);
// Returns the number of bytes before the guard page.
std::size_t bytes_before_guard(const Pages& pages) noexcept;

}  // namespace ckpt::base
