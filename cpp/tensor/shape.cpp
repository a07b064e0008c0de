#include "tensor/shape.h"

#include <algorithm>

#include "base/error.h"

namespace ckpt::tensor {

Shape::Shape(std::span<const std::int64_t> dimensions) {
  using base::Status;
  base::require(dimensions.size() <= static_cast<std::size_t>(largest_ndim), "ndim is ", dimensions.size(), "; at most ", largest_ndim);
  ndim_ = static_cast<std::int64_t>(dimensions.size());
  bool has_zero = false;
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    base::require(dimensions[i] >= 0, "dimension ", i, " is ", dimensions[i], "; at least 0");
    has_zero = has_zero || dimensions[i] == 0;
    dimensions_[i] = dimensions[i];
  }
  // A zero anywhere makes the shape empty, however large the others are.
  elements_ = has_zero ? 0 : 1;
  for (std::size_t i = 0; i < dimensions.size() && !has_zero; ++i) {
    if (__builtin_mul_overflow(elements_, dimensions[i], &elements_)) {
      base::fail(Status::out_of_range, "dimension ", i, " is ", dimensions[i], "; the shape has more than INT64_MAX elements");
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
  std::int64_t bits = 0;
  if (__builtin_mul_overflow(shape.elements(), dtype_bits(dtype), &bits)) {
    // The bits may overflow where the bytes do not: whole-byte types are multiplied by their bytes.
    std::int64_t bytes = 0;
    if (dtype_bits(dtype) % 8 != 0 || __builtin_mul_overflow(shape.elements(), dtype_bits(dtype) / 8, &bytes)) {
      base::fail(base::Status::out_of_range, "shape ", to_text(shape), " of ", dtype_name(dtype), " has more than INT64_MAX bytes");
    }
    return bytes;
  }
  base::require(bits % 8 == 0, "shape ", to_text(shape), " of ", dtype_name(dtype), " has ", bits, " bits: not whole bytes");
  return bits / 8;
}

}  // namespace ckpt::tensor
