// y = x W + b.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "engine/blas.h"
#include "engine/initial.h"
#include "engine/kernels.h"
#include "engine/layer.h"
#include "plan/profile.h"

namespace ckpt::engine {
namespace {

class LinearLayer final : public Layer {
 public:
  LinearLayer(std::string name, std::int64_t inputs, std::int64_t outputs, tensor::Dtype dtype)
      : Layer(std::move(name)), inputs_(inputs), outputs_(outputs), dtype_(dtype) {
    add_parameter("weight", dtype, {inputs, outputs});
    add_parameter("bias", dtype, {outputs});
  }

  TensorSpec output(const TensorSpec& input) const override {
    require_input(input.dtype == dtype_ && input.has_rows() && input.row_length() == inputs_, "the input is ", to_text(input), "; ",
                  tensor::dtype_name(dtype_), "[samples, ..., ", inputs_, "]");
    return {dtype_, input.with_row_length(outputs_)};
  }

  std::uint32_t flags() const override { return plan::needs_input | plan::deterministic; }
  bool needs_blas() const override { return true; }

  void forward(const RunContext& context, const ForwardBuffers& buffers) override {
    with_float(dtype_, [&](auto zero) {
      using T = decltype(zero);
      const T* const x = static_cast<const T*>(buffers.input);
      T* const y = static_cast<T*>(buffers.output);
      const T* const weight = parameter(0).value->data_as<T>();
      const T* const bias = parameter(1).value->data_as<T>();
      for_parts(*context.pool, context.input->rows(), rows_per_part, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t row = begin; row < end; ++row) std::copy_n(bias, outputs_, y + row * outputs_);
        gemm(false, false, end - begin, outputs_, inputs_, x + begin * inputs_, inputs_, weight, outputs_, T{1},
             y + begin * outputs_, outputs_);
      });
    });
  }

  void backward(const RunContext& context, const BackwardBuffers& buffers) override {
    with_float(dtype_, [&](auto zero) {
      using T = decltype(zero);
      const T* const x = static_cast<const T*>(buffers.input);
      const T* const grad_y = static_cast<const T*>(buffers.grad_output);
      T* const grad_x = static_cast<T*>(buffers.grad_input);
      const T* const weight = parameter(0).value->data_as<T>();
      T* const grad_weight = parameter(0).gradient->data_as<T>();
      T* const grad_bias = parameter(1).gradient->data_as<T>();
      const std::int64_t rows = context.input->rows();
      if (grad_x != nullptr) {
        for_parts(*context.pool, rows, rows_per_part, [&](std::int64_t begin, std::int64_t end) {
          gemm(false, true, end - begin, inputs_, outputs_, grad_y + begin * outputs_, outputs_, weight, outputs_, T{0},
               grad_x + begin * inputs_, inputs_);
        });
      }
      for_parts(*context.pool, inputs_, rows_per_part, [&](std::int64_t begin, std::int64_t end) {
        gemm(true, false, end - begin, outputs_, rows, x + begin, inputs_, grad_y, outputs_, T{1}, grad_weight + begin * outputs_,
             outputs_);
      });
      for_parts(*context.pool, outputs_, columns_per_part,
                [&](std::int64_t begin, std::int64_t end) { add_column_sums(grad_y, rows, outputs_, begin, end, grad_bias); });
    });
  }

  void initialize(std::uint64_t seed, std::int64_t layer_number) override {
    fill_uniform(*parameter(0).value, seed, layer_number, std::sqrt(6.0 / static_cast<double>(inputs_)));
    std::memset(parameter(1).value->data(), 0, static_cast<std::size_t>(parameter(1).value->bytes()));
  }

 private:
  static constexpr std::int64_t columns_per_part = 64;

  std::int64_t inputs_;
  std::int64_t outputs_;
  tensor::Dtype dtype_;
};

}  // namespace

std::shared_ptr<Layer> make_linear(std::string name, std::int64_t inputs, std::int64_t outputs, tensor::Dtype dtype) {
  base::require(inputs >= 1, "inputs is ", inputs, "; at least 1");
  base::require(outputs >= 1, "outputs is ", outputs, "; at least 1");
  base::require(is_float(dtype), "dtype is ", tensor::dtype_name(dtype), "; F32 or F64");
  return std::make_shared<LinearLayer>(std::move(name), inputs, outputs, dtype);
}

}  // namespace ckpt::engine
