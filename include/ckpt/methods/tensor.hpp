// Generated from include/ckpt by tools/api: do not edit.
// tensor.hpp - the classes and functions that are one call of C.
// clang-format off
#ifndef CKPT_METHODS_TENSOR_HPP
#define CKPT_METHODS_TENSOR_HPP

#include <ckpt/tensor.h>
#include <ckpt/base.hpp>
#include <ckpt/values/tensor.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace ckpt {

template <class Self>
class TensorMethods : public detail::Object<Self, ckpt_tensor, ckpt_tensor_release> {
  using Base = detail::Object<Self, ckpt_tensor, ckpt_tensor_release>;

 public:
  using Base::Base;
  using Base::handle;
  // Creates a tensor over the memory of another library. On success the tensor owns managed, and calls its deleter (unless that
  // is nullptr) exactly once, when its last reference is released, on the thread that released it. On failure the deleter has
  // not run and managed still belongs to the caller, who calls it. byte_offset is honoured, strides nullptr means contiguous.
  // Status::unsupported for what cannot be a tensor here: lanes other than 1, devices other than the CPU, strides that are not
  // row-major and contiguous, type codes without a dtype (complex of other sizes, opaque handles, float8 e3m4, e4m3 with
  // infinities, e4m3b11fnuz). Status::invalid_argument and Status::out_of_range for bad shapes, and for data that is nullptr or
  // not aligned for the dtype.
  static Self from_dlpack(DLManagedTensor* managed) {
    ckpt_tensor* result = nullptr;
    check(ckpt_tensor_create_from_dlpack(managed, &result));
    return Self::adopt(result);
  }
  // Creates a tensor over the memory of another library as Tensor::from_dlpack, from the struct of DLPack 1.x. Its read-only
  // flag makes a read-only tensor. Status::unsupported also for a major version other than 1 (nothing but the version is read
  // then; the deleter may be called), for padded elements of less than a byte, and for flags that this library does not know.
  static Self from_dlpack(DLManagedTensorVersioned* managed) {
    ckpt_tensor* result = nullptr;
    check(ckpt_tensor_create_from_dlpack_versioned(managed, &result));
    return Self::adopt(result);
  }
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
  // 1 for a tensor that must not be written (its memory is borrowed so, through DLPack), else 0. Functions that write to a
  // tensor refuse a read-only one with Status::unsupported.
  bool read_only() const noexcept {
    return ckpt_tensor_is_read_only(handle()) != 0;
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
  // Copies the elements of source, which must have the dtype and shape of target. Their memory may overlap.
  void copy_from(const Self& source) {
    check(ckpt_tensor_copy(handle(), source.handle()));
  }
  // Returns 1 when dtype, shape and all bytes are the same, else 0. So a NaN equals the same NaN, and 0 does not equal -0.
  bool bit_equal(const Self& b) const {
    ckpt_bool result = 0;
    check(ckpt_tensor_is_bit_equal(handle(), b.handle(), &result));
    return result != 0;
  }
  // Returns a view of the tensor for another library, which calls its deleter exactly once, on any thread; the tensor's memory
  // stays alive until then, whether or not the tensor was released. Status::unsupported for a read-only tensor: this struct
  // cannot say so.
  DLManagedTensor* to_dlpack() const {
    DLManagedTensor* result = nullptr;
    check(ckpt_tensor_export_dlpack(handle(), &result));
    return result;
  }
  // Returns a view of the tensor as Tensor::to_dlpack makes it, in the struct of DLPack 1.x (version 1.1), with its read-only
  // flag when the tensor is read-only.
  DLManagedTensorVersioned* to_dlpack_versioned() const {
    DLManagedTensorVersioned* result = nullptr;
    check(ckpt_tensor_export_dlpack_versioned(handle(), &result));
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

// Returns the type with this name, in the spelling of dtype_name. Status::not_found for any other name.
inline DType find_dtype(const std::string& name) {
  ckpt_dtype result = 0;
  check(ckpt_dtype_find(name.c_str(), &result));
  return static_cast<DType>(result);
}

}  // namespace ckpt

#endif
