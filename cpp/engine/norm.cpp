// Layer norm and RMS norm of each row.
// Sources: Ba, Kiros, Hinton, "Layer normalization", arXiv:1607.06450; Zhang, Sennrich, "Root mean square layer normalization",
// arXiv:1910.07467.
#include <limits>

#include "engine/initial.h"
#include "engine/layer.h"
#include "engine/row_norm.h"
#include "plan/profile.h"

namespace ckpt::engine {
namespace {

// The tape contains the statistics of each row.
class NormLayer final : public Layer {
 public:
  NormLayer(std::string name, Norm kind, std::int64_t width, double epsilon, tensor::Dtype dtype)
      : Layer(std::move(name)), norm_(kind, width, epsilon), width_(width), dtype_(dtype) {
    add_parameter("weight", dtype, {width});
    if (norm_.has_bias()) add_parameter("bias", dtype, {width});
  }

  TensorSpec output(const TensorSpec& input) const override {
    require_input(input.dtype == dtype_ && input.has_rows() && input.row_length() == width_, "the input is ", to_text(input),
                  "; expected ", tensor::dtype_name(dtype_), "[samples, ..., ", width_, "]");
    return input;
  }

  std::uint32_t flags() const override { return plan::needs_input | plan::deterministic; }

  OptionNeeds needs(const TensorSpec& input, std::int32_t) const override {
    return {.tape_bytes = input.rows() * norm_.values_a_row() * tensor::dtype_bits(dtype_) / 8, .has_record = true};
  }

  void forward(const RunContext& context, const ForwardBuffers& buffers) override {
    with_float(dtype_, [&](auto zero) {
      using T = decltype(zero);
      norm_.forward(*context.pool, context.input->rows(), static_cast<const T*>(buffers.input), static_cast<T*>(buffers.tape),
                    value<T>(0), value<T>(1), static_cast<T*>(buffers.output));
    });
  }

  // Writes the statistics without an output.
  void record(const RunContext& context, const ForwardBuffers& buffers) override { forward(context, buffers); }

  void backward(const RunContext& context, const BackwardBuffers& buffers) override {
    with_float(dtype_, [&](auto zero) {
      using T = decltype(zero);
      const T* const x = static_cast<const T*>(buffers.input);
      const T* const grad_y = static_cast<const T*>(buffers.grad_output);
      const T* const tape = static_cast<const T*>(buffers.tape);
      const std::int64_t rows = context.input->rows();
      if (T* const grad_x = static_cast<T*>(buffers.grad_input); grad_x != nullptr)
        norm_.input_gradient(*context.pool, rows, x, tape, value<T>(0), grad_y, static_cast<const T*>(nullptr), grad_x);
      norm_.add_gradients(*context.pool, rows, x, tape, grad_y, parameter(0).gradient->template data_as<T>(),
                          norm_.has_bias() ? parameter(1).gradient->template data_as<T>() : nullptr);
    });
  }

  void initialize(std::uint64_t /*seed*/, std::int64_t /*layer_number*/) override {
    fill_all(*parameter(0).value, 1);
    if (norm_.has_bias()) fill_all(*parameter(1).value, 0);
  }

 private:
  template <class T>
  const T* value(std::size_t i) const {
    return i < parameters().size() ? parameter(i).value->template data_as<T>() : nullptr;
  }

  RowNorm norm_;
  std::int64_t width_;
  tensor::Dtype dtype_;
};

std::shared_ptr<Layer> make_norm(std::string name, Norm kind, std::int64_t width, double epsilon, tensor::Dtype dtype) {
  base::require(width >= 1, "width is ", width, "; expected at least 1");
  base::require(is_float(dtype), "dtype is ", tensor::dtype_name(dtype), "; expected F32 or F64");
  const double min =
      dtype == tensor::Dtype::f32 ? static_cast<double>(std::numeric_limits<float>::min()) : std::numeric_limits<double>::min();
  base::require(epsilon >= min && epsilon <= 1, "epsilon is ", epsilon, "; expected ", min, " .. 1");
  return std::make_shared<NormLayer>(std::move(name), kind, width, epsilon, dtype);
}

}  // namespace

std::shared_ptr<Layer> make_layer_norm(std::string name, std::int64_t width, double epsilon, tensor::Dtype dtype) {
  return make_norm(std::move(name), Norm::layer_norm, width, epsilon, dtype);
}

std::shared_ptr<Layer> make_rms_norm(std::string name, std::int64_t width, double epsilon, tensor::Dtype dtype) {
  return make_norm(std::move(name), Norm::rms_norm, width, epsilon, dtype);
}

}  // namespace ckpt::engine
