#include "engine/arena.h"

#include <new>

#include "base/error.h"
#include "base/poison.h"
#include "plan/placement.h"

namespace ckpt::engine {

Arena::Arena(std::int64_t bytes) {
  if (bytes == 0) return;
  constexpr std::int64_t alignment = plan::placement_alignment;
  try {
    if (bytes > INT64_MAX - alignment) throw std::bad_alloc();
    bytes_ = (bytes + alignment - 1) / alignment * alignment;
    pages_ = base::map_pages_before_guard(static_cast<std::size_t>(bytes_));
  } catch (const std::bad_alloc&) {
    base::fail(base::Status::out_of_memory, "bytes is ", bytes, "; not enough memory for the arena");
  }
  data_ = pages_.get() + (base::bytes_before_guard(pages_) - static_cast<std::size_t>(bytes_));
  base::poison(data_, static_cast<std::size_t>(bytes_));
}

// The next owner of these addresses must not see the poison.
Arena::~Arena() {
  if (data_ != nullptr) base::unpoison(data_, static_cast<std::size_t>(bytes_));
}

void Arena::resize(void* begin, std::int64_t before, std::int64_t now) noexcept {
  auto* const bytes = static_cast<std::byte*>(begin);
  if (now > before) base::unpoison(bytes, static_cast<std::size_t>(now));
  if (now < before) base::poison(bytes + now, static_cast<std::size_t>(before - now));
}

}  // namespace ckpt::engine
