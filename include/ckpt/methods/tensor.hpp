// Generated from include/ckpt by tools/api: do not edit.
// tensor.hpp - the classes and functions that are one call of C.
// clang-format off
#ifndef CKPT_METHODS_TENSOR_HPP
#define CKPT_METHODS_TENSOR_HPP

#include <ckpt/tensor.h>
#include <ckpt/base.hpp>
#include <ckpt/values/tensor.hpp>

#include <cstdint>
#include <string_view>

namespace ckpt {

template <class Self>
class TensorMethods : public detail::Object<Self, ckpt_tensor, ckpt_tensor_release> {
  using Base = detail::Object<Self, ckpt_tensor, ckpt_tensor_release>;

 public:
  using Base::Base;
  using Base::handle;
  // Bytes of all elements.
  std::int64_t bytes() const noexcept {
    return ckpt_tensor_get_bytes(handle());
  }
  // Number of elements.
  std::int64_t element_count() const noexcept {
    return ckpt_tensor_get_element_count(handle());
  }
  // The tensor's element type, a CKPT_DTYPE_ constant.
  DType dtype() const noexcept {
    return static_cast<DType>(ckpt_tensor_get_dtype(handle()));
  }
  // Sets every element to value, rounded to the dtype. NaN and infinities are allowed; a finite value that F32 cannot hold is
  // Status::out_of_range. F32 and F64 only, else Status::unsupported.
  void fill(double value) {
    check(ckpt_tensor_fill(handle(), value));
  }
  // target = factor * target, in the dtype's own precision. factor: finite (else Status::invalid_argument) and, for F32, within
  // its range. F32 and F64 only, else Status::unsupported.
  void scale(double factor) {
    check(ckpt_tensor_scale(handle(), factor));
  }
  // target = target + factor * source, in the dtype's own precision with two roundings per element (axpy of BLAS, never fused).
  // factor: as for Tensor::scale. dtype and shape must be the same, and memory either the same or apart. F32 and F64 only, else
  // Status::unsupported.
  Self& add_scaled(double factor, const Self& source) {
    check(ckpt_tensor_add_scaled(handle(), factor, source.handle()));
    return static_cast<Self&>(*this);
  }
  // Returns the sum of all elements, computed in F64 by pairwise summation (Higham, "The accuracy of floating point summation",
  // SIAM J. Sci. Comput. 14, 1993); 0 when there are none. F32 and F64 only, else Status::unsupported.
  double sum() const {
    double result = 0;
    check(ckpt_tensor_sum(handle(), &result));
    return result;
  }
  // Returns the sum of a[i] * b[i], computed as Tensor::sum does. With a for b it is the squared 2-norm. dtype and shape must be
  // the same. F32 and F64 only, else Status::unsupported.
  double dot(const Self& b) const {
    double result = 0;
    check(ckpt_tensor_dot(handle(), b.handle(), &result));
    return result;
  }
  // Another reference to the same object.
  Self share() const noexcept {
    ckpt_tensor_retain(handle());
    return Self::adopt(handle());
  }
};

// Bits of one element of the type: 4, 6, 8, 16, 32 or 64; 0 for a number that is no dtype. There is no size in bytes: some
// types have none.
inline std::int64_t dtype_bits(DType dtype) noexcept {
  return ckpt_dtype_bits(static_cast<ckpt_dtype>(dtype));
}

// The type's name in the safetensors format: "F32", "F8_E4M3", "BOOL", ...; "UNKNOWN" for a number that is no dtype. Static
// string.
inline std::string_view dtype_name(DType dtype) noexcept {
  return ckpt_dtype_name(static_cast<ckpt_dtype>(dtype));
}

}  // namespace ckpt

#endif
