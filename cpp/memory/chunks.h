// An array that grows without moving its elements: chunks of 64, 128, 256, ... elements. Not thread-safe.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "base/error.h"

namespace ckpt::memory {

template <class T>
class Chunks {
 public:
  static constexpr std::int64_t largest = (std::int64_t{1} << 32) - 64;

  T& operator[](std::uint32_t index) noexcept { return const_cast<T&>(std::as_const(*this)[index]); }
  const T& operator[](std::uint32_t index) const noexcept {
    const std::uint64_t shifted = std::uint64_t{index} + first;
    const auto top = static_cast<std::size_t>(std::bit_width(shifted)) - 1;
    return chunks_[top - first_bits][shifted ^ (std::uint64_t{1} << top)];  // NOLINT: first is above 0, so top is 0 or more
  }

  std::int64_t capacity() const noexcept { return static_cast<std::int64_t>((first << count_) - first); }

  // Growing takes two steps, so that the allocation happens before a lock is taken. New elements are uninitialized.
  std::unique_ptr<T[]> prepare() const {
    if (capacity() >= largest) base::fail(base::Status::out_of_range, "elements: the maximum of ", largest, " is reached");
    return std::make_unique_for_overwrite<T[]>(first << count_);
  }
  void add(std::unique_ptr<T[]> prepared) noexcept { chunks_[count_++] = std::move(prepared); }

  // Copies elements 0 .. count-1.
  void copy_to(T* out, std::int64_t count) const noexcept {
    for (std::size_t k = 0; count > 0; ++k) {
      const std::int64_t here = std::min(count, static_cast<std::int64_t>(first << k));
      std::copy_n(chunks_[k].get(), here, out);
      out += here;
      count -= here;
    }
  }

 private:
  static constexpr std::size_t first_bits = 6;
  static constexpr std::size_t first = std::size_t{1} << first_bits;
  static constexpr std::size_t max_chunks = 32 - first_bits;

  std::array<std::unique_ptr<T[]>, max_chunks> chunks_;
  std::size_t count_ = 0;
};

}  // namespace ckpt::memory
