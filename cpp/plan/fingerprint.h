// FNV-1a with 64 bits: distinguishes recipes and damaged bytes. Nothing here must resist an attacker.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

namespace ckpt::plan {

class Fingerprint {
 public:
  void add_bytes(std::span<const std::byte> bytes) {
    for (const std::byte byte : bytes) value_ = (value_ ^ static_cast<std::uint64_t>(byte)) * 0x100000001b3U;
  }
  // value's type has no padding.
  template <class T>
  void add(const T& value) {
    static_assert(std::has_unique_object_representations_v<T>);
    add_bytes(std::as_bytes(std::span(&value, 1)));
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325U;
};

}  // namespace ckpt::plan
