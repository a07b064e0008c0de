#include "base/os/memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <new>

namespace ckpt::base {

PhysicalMemory physical_memory() noexcept {
  const std::int64_t page_bytes = sysconf(_SC_PAGESIZE);
  const std::int64_t pages = sysconf(_SC_PHYS_PAGES);
  const std::int64_t free_pages = sysconf(_SC_AVPHYS_PAGES);
  if (page_bytes <= 0 || pages <= 0) return {};
  return {pages * page_bytes, free_pages > 0 ? free_pages * page_bytes : 0};
}

void populate_pages(std::byte* start, std::size_t bytes) noexcept {
#if defined(MADV_POPULATE_WRITE)
  const std::int64_t page_bytes = sysconf(_SC_PAGESIZE);
  if (page_bytes <= 0) return;
  const auto page = static_cast<std::size_t>(page_bytes);
  const std::size_t before = (page - reinterpret_cast<std::uintptr_t>(start) % page) % page;
  if (bytes > before) ::madvise(start + before, (bytes - before) / page * page, MADV_POPULATE_WRITE);
#else
  static_cast<void>(start);
  static_cast<void>(bytes);
#endif
}

void UnmapPages::operator()(std::byte* start) const noexcept { ::munmap(start, bytes); }

Pages map_pages(std::size_t bytes) {
  void* const start = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (start == MAP_FAILED) throw std::bad_alloc();
#if defined(MADV_HUGEPAGE)
  ::madvise(start, bytes, MADV_HUGEPAGE);  // advisory: failure is ignored
#endif
  return Pages(static_cast<std::byte*>(start), UnmapPages{bytes});
}

namespace {

std::size_t page_size() noexcept { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

}  // namespace

Pages map_pages_before_guard(std::size_t bytes) {
  const std::size_t page = page_size();
  if (bytes > SIZE_MAX - 2 * page) throw std::bad_alloc();
  const std::size_t usable = (bytes + page - 1) / page * page;
  void* const start = ::mmap(nullptr, usable + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (start == MAP_FAILED) throw std::bad_alloc();
  Pages pages(static_cast<std::byte*>(start), UnmapPages{usable + page});
  if (::mprotect(pages.get() + usable, page, PROT_NONE) != 0) throw std::bad_alloc();
  return pages;
}

std::size_t bytes_before_guard(const Pages& pages) noexcept { return pages.get_deleter().bytes - page_size(); }

}  // namespace ckpt::base
