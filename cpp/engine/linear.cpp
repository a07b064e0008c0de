// y = x W + b.
#include <cmath>
#include <cstring>

#include "engine/initial.h"
#include "engine/layer.h"
#include "engine/projection.h"
#include "plan/profile.h"

namespace ckpt::engine {
namespace {

class LinearLayer final : public Layer {
 public:
  LinearLayer(std::string name, std::int64_t inputs, std::int64_t outputs, tensor::Dtype dtype)
      : Layer(std::move(name)), inputs_(inputs), outputs_(outputs), projection_(inputs, outputs), dtype_(dtype) {
    add_parameter("weight", dtype, {inputs, outputs});
    add_parameter("bias", dtype, {outputs});
  }

  TensorSpec output(const TensorSpec& input) const override {
    require_input(input.dtype == dtype_ && input.has_rows() && input.row_length() == inputs_, "the input is ", to_text(input),
                  "; expected ", tensor::dtype_name(dtype_), "[samples, ..., ", inputs_, "]");
    return {dtype_, input.with_row_length(outputs_)};
  }

  std::uint32_t flags() const override { return plan::needs_input | plan::deterministic; }
  bool needs_blas() const override { return true; }

  void forward(const RunContext& context, const ForwardBuffers& buffers) override {
    with_float(dtype_, [&](auto zero) {
      using T = decltype(zero);
      projection_.forward(*context.pool, context.input->rows(), static_cast<const T*>(buffers.input),
                          parameter(0).value->data_as<T>(), parameter(1).value->data_as<T>(), static_cast<const T*>(nullptr),
                          static_cast<T*>(buffers.output));
    });
  }

  void backward(const RunContext& context, const BackwardBuffers& buffers) override {
    with_float(dtype_, [&](auto zero) {
      using T = decltype(zero);
      const std::int64_t rows = context.input->rows();
      const T* const grad_y = static_cast<const T*>(buffers.grad_output);
      if (T* const grad_x = static_cast<T*>(buffers.grad_input); grad_x != nullptr)
        projection_.input_gradient(*context.pool, rows, grad_y, parameter(0).value->data_as<T>(), grad_x);
      projection_.add_gradients(*context.pool, rows, static_cast<const T*>(buffers.input), grad_y,
                                parameter(0).gradient->data_as<T>(), parameter(1).gradient->data_as<T>());
    });
  }

  void initialize(std::uint64_t seed, std::int64_t layer_number) override {
    fill_uniform(*parameter(0).value, seed, layer_number, std::sqrt(6.0 / static_cast<double>(inputs_)));
    std::memset(parameter(1).value->data(), 0, static_cast<std::size_t>(parameter(1).value->bytes()));
  }

 private:
  std::int64_t inputs_;
  std::int64_t outputs_;
  Projection projection_;
  tensor::Dtype dtype_;
};

}  // namespace

std::shared_ptr<Layer> make_linear(std::string name, std::int64_t inputs, std::int64_t outputs, tensor::Dtype dtype) {
  base::require(inputs >= 1, "inputs is ", inputs, "; expected at least 1");
  base::require(outputs >= 1, "outputs is ", outputs, "; expected at least 1");
  base::require(is_float(dtype), "dtype is ", tensor::dtype_name(dtype), "; expected F32 or F64");
  return std::make_shared<LinearLayer>(std::move(name), inputs, outputs, dtype);
}

}  // namespace ckpt::engine
