// A tensor: dtype, shape and memory, row-major and contiguous. The memory is owned (from a buffer pool, 64-byte aligned) or
// borrowed (with a release callback). Shared by std::shared_ptr; metadata never changes; writes to the data are not synchronized.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>

#include "tensor/buffer_pool.h"
#include "tensor/dtype.h"
#include "tensor/shape.h"

namespace ckpt::tensor {

class Tensor : public std::enable_shared_from_this<Tensor> {
 public:
  // Creates a tensor that owns memory from pool (nullptr: the process's default pool); its contents are undefined.
  static std::shared_ptr<Tensor> create(Dtype dtype, const Shape& shape, const std::shared_ptr<BufferPool>& pool = nullptr);

  // Creates a tensor over memory of another owner, of byte_size(dtype, shape) bytes; data may be nullptr only if that is 0, and
  // must be aligned for dtype. release runs exactly once, with the tensor's last reference; its exceptions are swallowed. If
  // borrow throws, release has not run. read_only: the memory must not be written; code that writes calls require_writable()
  // first.
  static std::shared_ptr<Tensor> borrow(void* data, Dtype dtype, const Shape& shape, std::function<void()> release,
                                        bool read_only = false);

  ~Tensor();
  Tensor(const Tensor&) = delete;
  Tensor& operator=(const Tensor&) = delete;

  Dtype dtype() const noexcept { return dtype_; }
  const Shape& shape() const noexcept { return shape_; }
  std::int64_t bytes() const noexcept { return bytes_; }
  void* data() const noexcept { return data_; }
  bool read_only() const noexcept { return read_only_; }
  // Fails with Error(unsupported) for a read-only tensor; argument names it in the message.
  void require_writable(std::string_view argument) const;
  template <class T>
  T* data_as() const noexcept {
    return static_cast<T*>(data_);
  }
  std::span<std::byte> byte_span() const noexcept { return {static_cast<std::byte*>(data_), static_cast<std::size_t>(bytes_)}; }

 private:
  Tensor(Dtype dtype, const Shape& shape);

  Dtype dtype_;
  Shape shape_;
  std::int64_t bytes_;
  void* data_ = nullptr;
  bool read_only_ = false;
  Buffer buffer_;                  // owned memory; empty when borrowed
  std::function<void()> release_;  // borrowed memory; empty when owned
};

}  // namespace ckpt::tensor
