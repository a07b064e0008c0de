// The memory of a step's buffers. What no live buffer holds is dead: a build with AddressSanitizer refuses access to it, and in
// every build the page right behind the arena may be neither read nor written.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/os/memory.h"

namespace ckpt::engine {

class Arena {
 public:
  Arena() = default;
  // At least so many bytes, all dead; begins at a multiple of 64, and ends where the guarded page begins.
  // Error(out_of_memory) when the system has none.
  explicit Arena(std::int64_t bytes);
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  std::byte* data() const noexcept { return data_; }
  std::int64_t bytes() const noexcept { return bytes_; }

  // A buffer that begins here has other bytes now; 0: there is none. What it held of them stays.
  void resize(void* begin, std::int64_t before, std::int64_t now) noexcept;

 private:
  base::Pages pages_;
  std::byte* data_ = nullptr;
  std::int64_t bytes_ = 0;
};

}  // namespace ckpt::engine
