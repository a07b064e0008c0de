// A shape of up to eight dimensions, row-major and contiguous. A shape without dimensions is a scalar: one element.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

#include "tensor/dtype.h"

namespace ckpt::tensor {

constexpr std::int64_t largest_ndim = 8;

class Shape {
 public:
  Shape() = default;
  // Fails with Error(invalid_argument) for more than eight or negative dimensions, Error(out_of_range) if the element count
  // exceeds INT64_MAX.
  explicit Shape(std::span<const std::int64_t> dimensions);
  Shape(std::initializer_list<std::int64_t> dimensions) : Shape(std::span(dimensions.begin(), dimensions.size())) {}

  std::int64_t ndim() const noexcept { return ndim_; }
  std::int64_t operator[](std::int64_t i) const noexcept { return dimensions_[static_cast<std::size_t>(i)]; }
  std::span<const std::int64_t> dimensions() const noexcept { return {dimensions_.data(), static_cast<std::size_t>(ndim_)}; }
  std::int64_t elements() const noexcept { return elements_; }
  friend bool operator==(const Shape& a, const Shape& b) noexcept;

 private:
  std::array<std::int64_t, largest_ndim> dimensions_{};
  std::int64_t ndim_ = 0;
  std::int64_t elements_ = 1;
};

// "[2, 3]"
std::string to_text(const Shape& shape);

// Returns the exact bytes of shape's elements. Fails with Error(invalid_argument) if they do not fill whole bytes (sub-byte
// types), Error(out_of_range) above INT64_MAX.
std::int64_t byte_size(Dtype dtype, const Shape& shape);

}  // namespace ckpt::tensor
