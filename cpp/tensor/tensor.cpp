#include "tensor/tensor.h"

#include <utility>

#include "base/error.h"

namespace ckpt::tensor {
namespace {

// Compilers may assume alignment at every element access, so it is checked once here.
void require_usable(const void* data, Dtype dtype, const Shape& shape, std::int64_t bytes) {
  if (bytes == 0) return;
  if (data == nullptr) {
    base::fail(base::Status::invalid_argument, "data is NULL; shape ", to_text(shape), " of ", dtype_name(dtype), " needs ", bytes,
               " bytes");
  }
  const auto past = reinterpret_cast<std::uintptr_t>(data) % static_cast<std::uintptr_t>(dtype_alignment(dtype));
  base::require(past == 0, "data is ", past, " bytes past a multiple of ", dtype_alignment(dtype), "; ", dtype_name(dtype),
                " needs that alignment");
}

}  // namespace

Tensor::Tensor(Dtype dtype, const Shape& shape) : dtype_(dtype), shape_(shape), bytes_(byte_size(dtype, shape)) {}

std::shared_ptr<Tensor> Tensor::create(Dtype dtype, const Shape& shape, const std::shared_ptr<BufferPool>& pool) {
  std::shared_ptr<Tensor> tensor(new Tensor(dtype, shape));
  tensor->buffer_ = (pool == nullptr ? default_buffer_pool() : pool)->take(tensor->bytes_);
  tensor->data_ = tensor->buffer_.data();
  return tensor;
}

std::shared_ptr<Tensor> Tensor::borrow(void* data, Dtype dtype, const Shape& shape, std::function<void()> release, bool read_only) {
  std::shared_ptr<Tensor> tensor(new Tensor(dtype, shape));
  require_usable(data, dtype, shape, tensor->bytes_);
  tensor->data_ = data;
  tensor->read_only_ = read_only;
  tensor->release_ = std::move(release);  // set last: release must not run before construction has succeeded
  return tensor;
}

Tensor::~Tensor() {
  if (!release_) return;
  try {
    release_();
  } catch (...) {  // NOLINT(bugprone-empty-catch): a destructor cannot report an exception of the owner's callback
  }
}

void Tensor::require_writable(std::string_view argument) const {
  if (read_only_) base::fail(base::Status::unsupported, argument, " is read-only: its owner lent the memory for reading");
}

}  // namespace ckpt::tensor
