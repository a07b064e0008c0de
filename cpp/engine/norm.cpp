// Layer norm and RMS norm of each row.
// Sources: Ba, Kiros, Hinton, "Layer normalization", arXiv:1607.06450; Zhang, Sennrich, "Root mean square layer normalization",
// arXiv:1910.07467.
#include <algorithm>
#include <limits>

#include "engine/layer.h"
#include "engine/norm_kernels.h"
#include "plan/profile.h"

namespace ckpt::engine {
namespace {

// The tape is the statistics of each row.
template <bool with_mean>
class NormLayer final : public Layer {
 public:
  NormLayer(std::string name, std::int64_t width, double epsilon, tensor::Dtype dtype)
      : Layer(std::move(name)), width_(width), epsilon_(epsilon), dtype_(dtype) {
    add_parameter("weight", dtype, {width});
    if (with_mean) add_parameter("bias", dtype, {width});
  }

  TensorSpec output(const TensorSpec& input) const override {
    require_input(input.dtype == dtype_ && input.has_rows() && input.row_length() == width_, "the input is ", to_text(input), "; ",
                  tensor::dtype_name(dtype_), "[samples, ..., ", width_, "]");
    return input;
  }

  std::uint32_t flags() const override { return plan::needs_input | plan::deterministic; }

  OptionNeeds needs(const TensorSpec& input, std::int32_t) const override {
    return {.tape_bytes = input.rows() * values_a_row * tensor::dtype_bits(dtype_) / 8, .has_record = true};
  }

  void forward(const RunContext& context, const ForwardBuffers& buffers) override {
    with_float(dtype_, [&](auto zero) {
      using T = decltype(zero);
      const T* const x = static_cast<const T*>(buffers.input);
      T* const y = static_cast<T*>(buffers.output);
      for_each_row(context, [&](std::int64_t row) {
        const RowStatistics<T> statistics = statistics_of(x + row * width_);
        if (buffers.tape != nullptr) put(static_cast<T*>(buffers.tape), row, statistics);
        normalize(x + row * width_, statistics, weight<T>(), bias<T>(), y + row * width_, width_);
      });
    });
  }

  void record(const RunContext& context, const ForwardBuffers& buffers) override {
    with_float(dtype_, [&](auto zero) {
      using T = decltype(zero);
      const T* const x = static_cast<const T*>(buffers.input);
      for_each_row(context, [&](std::int64_t row) { put(static_cast<T*>(buffers.tape), row, statistics_of(x + row * width_)); });
    });
  }

  void backward(const RunContext& context, const BackwardBuffers& buffers) override {
    with_float(dtype_, [&](auto zero) {
      using T = decltype(zero);
      const T* const x = static_cast<const T*>(buffers.input);
      const T* const grad_y = static_cast<const T*>(buffers.grad_output);
      const T* const tape = static_cast<const T*>(buffers.tape);
      T* const grad_x = static_cast<T*>(buffers.grad_input);
      if (grad_x != nullptr) {
        for_each_row(context, [&](std::int64_t row) {
          const std::int64_t at = row * width_;
          normalize_backward(x + at, taken(tape, row), weight<T>(), grad_y + at, grad_x + at, width_, with_mean);
        });
      }
      T* const grad_weight = parameter(0).gradient->template data_as<T>();
      T* const grad_bias = with_mean ? parameter(1).gradient->template data_as<T>() : nullptr;
      const std::int64_t rows = context.input->rows();
      for_parts(*context.pool, width_, columns_per_part, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t row = 0; row < rows; ++row)
          add_norm_gradients(x + row * width_, taken(tape, row), grad_y + row * width_, begin, end, grad_weight, grad_bias);
      });
    });
  }

  void initialize(std::uint64_t /*seed*/, std::int64_t /*layer_number*/) override {
    with_float(dtype_, [&](auto zero) {
      using T = decltype(zero);
      std::fill_n(parameter(0).value->template data_as<T>(), width_, T(1));
      if (with_mean) std::fill_n(parameter(1).value->template data_as<T>(), width_, T(0));
    });
  }

 private:
  static constexpr std::int64_t values_a_row = with_mean ? 2 : 1;
  static constexpr std::int64_t columns_per_part = 256;

  template <class Each>
  void for_each_row(const RunContext& context, const Each& each) const {
    for_parts(*context.pool, context.input->rows(), rows_per_part, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t row = begin; row < end; ++row) each(row);
    });
  }

  template <class T>
  RowStatistics<T> statistics_of(const T* x) const {
    const auto epsilon = static_cast<T>(epsilon_);
    if constexpr (with_mean) {
      return layer_norm_statistics(x, width_, epsilon);
    } else {
      return rms_norm_statistics(x, width_, epsilon);
    }
  }

  template <class T>
  static void put(T* tape, std::int64_t row, RowStatistics<T> statistics) {
    tape[row * values_a_row] = statistics.reciprocal;
    if (with_mean) tape[row * values_a_row + 1] = statistics.mean;
  }
  template <class T>
  static RowStatistics<T> taken(const T* tape, std::int64_t row) {
    return {with_mean ? tape[row * values_a_row + 1] : T(0), tape[row * values_a_row]};
  }

  template <class T>
  const T* weight() const {
    return parameter(0).value->template data_as<T>();
  }
  template <class T>
  const T* bias() const {
    return with_mean ? parameter(1).value->template data_as<T>() : nullptr;
  }

  std::int64_t width_;
  double epsilon_;
  tensor::Dtype dtype_;
};

template <bool with_mean>
std::shared_ptr<Layer> make_norm(std::string name, std::int64_t width, double epsilon, tensor::Dtype dtype) {
  base::require(width >= 1, "width is ", width, "; at least 1");
  base::require(is_float(dtype), "dtype is ", tensor::dtype_name(dtype), "; F32 or F64");
  const double least =
      dtype == tensor::Dtype::f32 ? static_cast<double>(std::numeric_limits<float>::min()) : std::numeric_limits<double>::min();
  base::require(epsilon >= least && epsilon <= 1, "epsilon is ", epsilon, "; ", least, " .. 1");
  return std::make_shared<NormLayer<with_mean>>(std::move(name), width, epsilon, dtype);
}

}  // namespace

std::shared_ptr<Layer> make_layer_norm(std::string name, std::int64_t width, double epsilon, tensor::Dtype dtype) {
  return make_norm<true>(std::move(name), width, epsilon, dtype);
}

std::shared_ptr<Layer> make_rms_norm(std::string name, std::int64_t width, double epsilon, tensor::Dtype dtype) {
  return make_norm<false>(std::move(name), width, epsilon, dtype);
}

}  // namespace ckpt::engine
