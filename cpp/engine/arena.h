// The memory of a step's buffers. Bytes outside live buffers are dead: AddressSanitizer builds report any access to them. In
// every build the page directly after the arena is inaccessible.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/os/memory.h"

namespace ckpt::engine {

class Arena {
 public:
  Arena() = default;
  // At least this many bytes, all dead; begins at a multiple of 64 and ends at the guard page. Fails with Error(out_of_memory) if
  // the system has none.
  explicit Arena(std::int64_t bytes);
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  std::byte* data() const noexcept { return data_; }
  std::int64_t bytes() const noexcept { return bytes_; }

  // Changes the size of the buffer that begins here; 0: no buffer. Bytes within both sizes keep their contents.
  void resize(void* begin, std::int64_t before, std::int64_t now) noexcept;

 private:
  base::Pages pages_;
  std::byte* data_ = nullptr;
  std::int64_t bytes_ = 0;
};

}  // namespace ckpt::engine
