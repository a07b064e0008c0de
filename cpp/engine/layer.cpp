#include "engine/layer.h"

#include <cstring>
#include <utility>

#include "base/error.h"

namespace ckpt::engine {

std::string to_text(const TensorSpec& spec) { return base::cat(tensor::dtype_name(spec.dtype), tensor::to_text(spec.shape)); }

bool is_float(tensor::Dtype dtype) noexcept { return dtype == tensor::Dtype::f32 || dtype == tensor::Dtype::f64; }

Layer::Layer(std::string name) : name_(std::move(name)) { base::require_name("name", name_); }

TensorSpec Layer::output_for(std::span<const TensorSpec> inputs) const {
  require_input(inputs.size() == 1, "inputs: found ", inputs.size(), "; expected 1");
  return output(inputs[0]);
}

void Layer::add_parameter(const char* parameter_name, tensor::Dtype dtype, const tensor::Shape& shape) {
  Parameter parameter{name_ + "." + parameter_name, tensor::Tensor::create(dtype, shape), tensor::Tensor::create(dtype, shape)};
  for (const auto& each : {parameter.value, parameter.gradient})
    std::memset(each->data(), 0, static_cast<std::size_t>(each->bytes()));
  parameters_.push_back(std::move(parameter));
}

}  // namespace ckpt::engine
