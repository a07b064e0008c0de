// Memory by whole pages, and how much of it the machine has, asked from the operating system without reading files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace ckpt::base {

struct PhysicalMemory {
  std::int64_t total_bytes = 0;
  std::int64_t free_bytes = 0;  // not in use, page cache not counted: less than what could be had
};

// Zeros when the system does not report it.
PhysicalMemory physical_memory() noexcept;

// Makes the system provide the whole pages in this memory now, which costs less in one call and may be done by another thread than
// the one that will use them. What they hold stays as it is. Only a wish.
void provide_pages(std::byte* start, std::size_t bytes) noexcept;

struct UnmapPages {
  std::size_t bytes = 0;
  void operator()(std::byte* start) const noexcept;
};
using Pages = std::unique_ptr<std::byte[], UnmapPages>;

// At least so many bytes of zeros that begin on a page. The system provides a page when it is first touched, large ones where it
// can. Throws std::bad_alloc.
Pages map_pages(std::size_t bytes);

// At least so many bytes of zeros with a page behind them that may be neither read nor written: whoever runs over their end is
// stopped. Throws std::bad_alloc.
Pages map_pages_before_guard(std::size_t bytes);
// How many lie before that page.
std::size_t bytes_before_guard(const Pages& pages) noexcept;

}  // namespace ckpt::base
