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
  // not run, managed still belongs to the caller, and the caller calls the deleter. byte_offset is honoured, strides nullptr
  // means contiguous. Status::unsupported for lanes other than 1, devices other than the CPU, and strides that are not row-major
  // and contiguous. Status::unsupported also for type codes without a dtype: complex of other sizes, opaque handles, float8
  // e3m4, e4m3 with infinities, e4m3b11fnuz. Status::invalid_argument and Status::out_of_range for invalid shapes, and for data
  // that is nullptr or not aligned for the dtype.
  static Self from_dlpack(DLManagedTensor* managed) {
    ckpt_tensor* result = nullptr;
    check(ckpt_tensor_create_from_dlpack(managed, &result));
    return Self::adopt(result);
  }
  // Creates a tensor over the memory of another library as Tensor::from_dlpack, from the struct of DLPack 1.x. Its read-only
  // flag makes a read-only tensor. Status::unsupported also for a major version other than 1 (only the version is read then; the
  // deleter may be called), for padded elements of less than a byte, and for unknown flags.
  static Self from_dlpack(DLManagedTensorVersioned* managed) {
    ckpt_tensor* result = nullptr;
    check(ckpt_tensor_create_from_dlpack_versioned(managed, &result));
    return Self::adopt(result);
  }
  // Returns the size of all elements in bytes.
  std::int64_t bytes() const noexcept {
    return ckpt_tensor_get_bytes(handle());
  }
  // Returns the number of elements.
  std::int64_t element_count() const noexcept {
    return ckpt_tensor_get_element_count(handle());
  }
  // Returns the tensor's element type, one of DType.
  DType dtype() const noexcept {
    return static_cast<DType>(ckpt_tensor_get_dtype(handle()));
  }
  // Returns true for a tensor that must not be written (its memory was exported read-only through DLPack, or is a mapped file),
  // else false. Functions that write to a tensor refuse a read-only one with Status::unsupported.
  bool read_only() const noexcept {
    return ckpt_tensor_is_read_only(handle()) != 0;
  }
  // Sets every element to value, rounded to the dtype. NaN and infinities are allowed; a finite value outside the range of F32
  // is Status::out_of_range. F32 and F64 only, else Status::unsupported.
  void fill(double value) {
    check(ckpt_tensor_fill(handle(), value));
  }
  // Computes target = factor * target, in the dtype's precision. factor: finite (else Status::invalid_argument) and, for F32,
  // within its range. F32 and F64 only, else Status::unsupported.
  void scale(double factor) {
    check(ckpt_tensor_scale(handle(), factor));
  }
  // Computes target = target + factor * source, in the dtype's precision with two roundings per element (axpy of BLAS, never
  // fused). factor: as for Tensor::scale. dtype and shape must be the same, and the memory either the same or disjoint. F32 and
  // F64 only, else Status::unsupported.
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
  // Returns the sum of a[i] * b[i], computed as by Tensor::sum. If b is a, this is the squared 2-norm. dtype and shape must be
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
  // Returns true when dtype, shape and all bytes are the same, else false. A NaN equals a NaN with the same bits, and 0 does not
  // equal -0.
  bool bit_equal(const Self& b) const {
    ckpt_bool result = 0;
    check(ckpt_tensor_is_bit_equal(handle(), b.handle(), &result));
    return result != 0;
  }
  // Returns a view of the tensor for another library, which calls its deleter exactly once, on any thread; the tensor's memory
  // stays alive until then, whether or not the tensor was released. Status::unsupported for a read-only tensor, because this
  // struct has no read-only flag.
  DLManagedTensor* to_dlpack() const {
    DLManagedTensor* result = nullptr;
    check(ckpt_tensor_export_dlpack(handle(), &result));
    return result;
  }
  // Returns a view of the tensor as Tensor::to_dlpack does, in the struct of DLPack 1.x (version 1.1). Sets the read-only flag
  // if the tensor is read-only.
  DLManagedTensorVersioned* to_dlpack_versioned() const {
    DLManagedTensorVersioned* result = nullptr;
    check(ckpt_tensor_export_dlpack_versioned(handle(), &result));
    return result;
  }
  // Returns another reference to the same object.
  Self share() const noexcept {
    ckpt_tensor_retain(handle());
    return Self::adopt(handle());
  }
};

// Returns the bits of one element of the type: 4, 6, 8, 16, 32 or 64; 0 for a number that is not a dtype. The size is in bits
// because elements of some types do not fill whole bytes.
inline std::int64_t dtype_bits(DType dtype) noexcept {
  return ckpt_dtype_bits(static_cast<ckpt_dtype>(dtype));
}

// Returns the type's name in the safetensors format: "F32", "F8_E4M3", "BOOL", ...; "UNKNOWN" for a number that is not a
// dtype. Static string.
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
