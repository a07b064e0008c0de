// The inputs and outputs of one step. All are borrowed from the caller.
#pragma once

#include <cstdint>

#include "tensor/tensor.h"

namespace ckpt::engine {

struct Step {
  std::int64_t step = 0;
  std::uint64_t seed = 0;
  std::int64_t first_sample = 0;
  const tensor::Tensor* input = nullptr;
  const tensor::Tensor* targets = nullptr;
  const tensor::Tensor* output_gradient = nullptr;
  const tensor::Tensor* output = nullptr;          // receives x_n
  const tensor::Tensor* input_gradient = nullptr;  // receives GRAD(0)
  bool accumulate = false;
  double loss_gradient = 1;  // GRAD(n) if x_n is one number and output_gradient is nullptr
};

}  // namespace ckpt::engine
