#pragma once

#include <cstdint>

// A generator with the same numbers on every machine.
class Numbers {
 public:
  explicit Numbers(std::uint64_t seed) : state_(seed) {}
  std::int64_t up_to(std::int64_t max) {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return static_cast<std::int64_t>((state_ >> 33U) % static_cast<std::uint64_t>(max + 1));
  }
  bool one_in(std::int64_t count) { return up_to(count - 1) == 0; }

 private:
  std::uint64_t state_;
};
