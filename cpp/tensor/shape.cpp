#include "tensor/shape.h"

#include <algorithm>

#include "base/error.h"

namespace ckpt::tensor {

Shape::Shape(std::span<const std::int64_t> dimensions) {
  base::require(dimensions.size() <= static_cast<std::size_t>(largest_ndim), "ndim is ", dimensions.size(), "; expected at most ",
                largest_ndim);
  ndim_ = static_cast<std::int64_t>(dimensions.size());
  bool has_zero = false;
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    base::require(dimensions[i] >= 0, "shape[", i, "] is ", dimensions[i], "; expected at least 0");
    has_zero = has_zero || dimensions[i] == 0;
    dimensions_[i] = dimensions[i];
  }
  // A zero dimension makes the shape empty, however large the others are.
  elements_ = has_zero ? 0 : 1;
  for (std::size_t i = 0; i < dimensions.size() && !has_zero; ++i) {
    if (__builtin_mul_overflow(elements_, dimensions[i], &elements_)) {
      base::fail(base::Status::out_of_range, "shape[", i, "] is ", dimensions[i], "; the shape has more than INT64_MAX elements");
    }
  }
}

bool operator==(const Shape& a, const Shape& b) noexcept { return std::ranges::equal(a.dimensions(), b.dimensions()); }

std::string to_text(const Shape& shape) {
  std::string out = "[";
  for (std::int64_t i = 0; i < shape.ndim(); ++i) {
    if (i > 0) out += ", ";
    base::append_piece(out, shape[i]);
  }
  return out + "]";
}

std::int64_t byte_size(Dtype dtype, const Shape& shape) {
  // Eight elements of any dtype take bits_per_element bytes, so computing bytes by eights avoids an early overflow in bits.
  const std::int64_t bits_per_element = dtype_bits(dtype);
  const std::int64_t last_bits = shape.elements() % 8 * bits_per_element;
  std::int64_t bytes = 0;
  if (__builtin_mul_overflow(shape.elements() / 8, bits_per_element, &bytes) ||
      __builtin_add_overflow(bytes, last_bits / 8, &bytes)) {
    base::fail(base::Status::out_of_range, "shape is ", to_text(shape), "; in ", dtype_name(dtype), " it exceeds INT64_MAX bytes");
  }
  if (last_bits % 8 != 0) {
    base::fail(base::Status::invalid_argument, "shape is ", to_text(shape), "; in ", dtype_name(dtype), " (", bits_per_element,
               " bits per element) it does not fill whole bytes");
  }
  return bytes;
}

}  // namespace ckpt::tensor
