// The handles of the tensor part, and argument checks for the other files of the C API.
#pragma once

#include <memory>

#include <ckpt/tensor.h>

#include "guard.h"
#include "handle.h"
#include "tensor/buffer_pool.h"
#include "tensor/tensor.h"

struct ckpt_tensor : ckpt::capi::Handle<ckpt::capi::Kind::tensor> {
  std::shared_ptr<ckpt::tensor::Tensor> object;
};

struct ckpt_buffer_pool : ckpt::capi::Handle<ckpt::capi::Kind::buffer_pool> {
  std::shared_ptr<ckpt::tensor::BufferPool> object;
};

namespace ckpt::capi {

inline tensor::Dtype dtype_argument(ckpt_dtype dtype, const char* argument) {
  base::require(tensor::is_dtype(dtype), argument, " is ", dtype, "; expected ", tensor::first_dtype, " .. ", tensor::last_dtype,
                " (CKPT_DTYPE_*)");
  return static_cast<tensor::Dtype>(dtype);
}

inline tensor::Shape shape_argument(const int64_t* shape, int64_t ndim) {
  base::require(ndim >= 0 && ndim <= tensor::largest_ndim, "ndim is ", ndim, "; expected 0 .. ", tensor::largest_ndim);
  base::require(shape != nullptr || ndim == 0, "shape is NULL but ndim is ", ndim);
  return tensor::Shape(std::span<const int64_t>(shape, static_cast<std::size_t>(ndim)));
}

// Returns the tensor of a handle, for reading.
inline const std::shared_ptr<tensor::Tensor>& tensor_argument(const ckpt_tensor* handle, const char* argument) {
  return checked(handle, argument)->object;
}

// Returns the tensor of a handle, for writing: refuses a read-only tensor.
inline const std::shared_ptr<tensor::Tensor>& writable_tensor_argument(ckpt_tensor* handle, const char* argument) {
  checked(handle, argument)->object->require_writable(argument);
  return handle->object;
}

// Returns the pool of a handle; the default pool for NULL.
inline const std::shared_ptr<tensor::BufferPool>& pool_argument(const ckpt_buffer_pool* handle, const char* argument) {
  return handle == nullptr ? tensor::default_buffer_pool() : checked(handle, argument)->object;
}

}  // namespace ckpt::capi
