#include "tensor/tensor.h"

#include <utility>

#include "base/error.h"

namespace ckpt::tensor {

Tensor::Tensor(Dtype dtype, const Shape& shape) : dtype_(dtype), shape_(shape), bytes_(byte_size(dtype, shape)) {}

std::shared_ptr<Tensor> Tensor::create(Dtype dtype, const Shape& shape, const std::shared_ptr<BufferPool>& pool) {
  std::shared_ptr<Tensor> tensor(new Tensor(dtype, shape));
  tensor->buffer_ = (pool == nullptr ? default_buffer_pool() : pool)->take(tensor->bytes_);
  tensor->data_ = tensor->buffer_.data();
  return tensor;
}

std::shared_ptr<Tensor> Tensor::borrow(void* data, Dtype dtype, const Shape& shape, std::function<void()> release) {
  std::shared_ptr<Tensor> tensor(new Tensor(dtype, shape));
  base::require(data != nullptr || tensor->bytes_ == 0, "data is NULL but shape ", to_text(shape), " of ", dtype_name(dtype), " needs ",
                tensor->bytes_, " bytes");
  tensor->data_ = data;
  tensor->release_ = std::move(release);
  return tensor;
}

Tensor::~Tensor() {
  if (release_) release_();
}

}  // namespace ckpt::tensor
