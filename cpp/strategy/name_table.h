// Names with dense numbers: open addressing over one block of text, so that a lookup touches two cache lines and allocates
// nothing. Not thread-safe, but concurrent lookups are allowed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ckpt::strategy {

// Returns 64 well-distributed bits; not for storage, because the result depends on the byte order.
std::uint64_t hash_name(std::string_view name) noexcept;

class NameTable {
 public:
  static constexpr std::int32_t none = -1;

  // Returns the number of name; none if it is unknown.
  std::int32_t find(std::string_view name) const noexcept;
  // Returns the number of name; assigns the next one (0, 1, ...) if it is unknown.
  std::int32_t add(std::string_view name);
  std::int32_t size() const noexcept { return size_; }
  void clear() noexcept;

 private:
  struct Slot {
    std::uint64_t hash = 0;
    std::size_t offset = 0;  // of the name in text_
    std::uint32_t length = 0;
    std::int32_t number = none;
  };

  // Returns the slot that contains name, or the empty one where it belongs. The table always has an empty slot.
  const Slot& slot_of(std::uint64_t hash, std::string_view name) const noexcept;
  void grow();

  std::vector<Slot> slots_;  // empty or a power of two, at most half full
  std::string text_;
  std::int32_t size_ = 0;
};

}  // namespace ckpt::strategy
