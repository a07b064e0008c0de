// Generated from include/ckpt by tools/api: do not edit.
// tensor.hpp - the methods of tensor.h's objects that are one call of C.
// clang-format off
#ifndef CKPT_METHODS_TENSOR_HPP
#define CKPT_METHODS_TENSOR_HPP

#include <ckpt/tensor.h>
#include <ckpt/base.hpp>
#include <ckpt/values/tensor.hpp>

#include <cstdint>

namespace ckpt {

template <class Self>
class TensorMethods {
 public:
  // Bytes of all elements.
  std::int64_t bytes() const {
    return ckpt_tensor_get_bytes(handle());
  }
  // Number of elements.
  std::int64_t element_count() const {
    return ckpt_tensor_get_element_count(handle());
  }
  // The tensor's element type, a CKPT_DTYPE_ constant.
  DType dtype() const {
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
  void add_scaled(double factor, const Self& source) {
    check(ckpt_tensor_add_scaled(handle(), factor, source.handle()));
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

 private:
  ckpt_tensor* handle() const noexcept { return static_cast<const Self*>(this)->handle(); }
};

}  // namespace ckpt

#endif
