#include "base/os/memory.h"

#include <unistd.h>

namespace ckpt::base {

PhysicalMemory physical_memory() noexcept {
  const std::int64_t page_bytes = sysconf(_SC_PAGESIZE);
  const std::int64_t pages = sysconf(_SC_PHYS_PAGES);
  const std::int64_t free_pages = sysconf(_SC_AVPHYS_PAGES);
  if (page_bytes <= 0 || pages <= 0) return {};
  return {pages * page_bytes, free_pages > 0 ? free_pages * page_bytes : 0};
}

}  // namespace ckpt::base
