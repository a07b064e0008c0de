// A perceptron with one hidden layer, as half of a transformer block.
// Sources: Hendrycks, Gimpel, "Gaussian error linear units", arXiv:1606.08415; Shazeer, "GLU variants improve transformer",
// arXiv:2002.05202.
#include "engine/block_layer.h"
#include "engine/kernels.h"

namespace ckpt::engine {
namespace {

constexpr std::int32_t keep_all = 0;
constexpr std::int32_t without_output = 1;
constexpr std::int32_t without_norm = 2;
constexpr std::int32_t mlp_options = 4;  // the last one keeps nothing

Kept kept_by(std::int32_t option) {
  return {.normed = option == keep_all || option == without_output, .in = option <= without_norm, .out = option == keep_all};
}

// Common to both variants: no memory other than rows.
struct RowsMiddle {
  static constexpr const char* in_name = "up";
  static constexpr const char* out_name = "down";
  static constexpr const char* leading = "[samples, ..., ";
  static constexpr std::int32_t option_count = mlp_options;

  explicit RowsMiddle(std::int64_t hidden_) : hidden(hidden_) {}
  bool fits(const TensorSpec& input) const { return input.has_rows(); }
  std::int64_t out_width() const { return hidden; }
  Kept kept(std::int32_t option) const { return kept_by(option); }
  std::int64_t extra_numbers(const TensorSpec& /*input*/, std::int32_t /*option*/) const { return 0; }
  std::int64_t scratch_numbers(const TensorSpec& /*input*/) const { return 0; }

  std::int64_t hidden;
};

struct GeluMiddle : RowsMiddle {
  using RowsMiddle::RowsMiddle;
  static constexpr bool over_input = true;
  std::int64_t in_width() const { return hidden; }

  template <class T>
  void forward(const RunContext& context, const T* up, T* out, T* /*extra*/, T* /*scratch*/) const {
    for_parts(*context.pool, context.input->rows() * hidden, elements_per_part,
              [&](std::int64_t begin, std::int64_t end) { gelu(up + begin, out + begin, end - begin); });
  }
  template <class T>
  void backward(const RunContext& context, const T* up, const T* /*out*/, const T* /*extra*/, const T* grad_out, T* grad_up,
                T* /*scratch*/) const {
    for_parts(*context.pool, context.input->rows() * hidden, elements_per_part, [&](std::int64_t begin, std::int64_t end) {
      gelu_backward(up + begin, grad_out + begin, grad_up + begin, end - begin);
    });
  }
};

struct SwigluMiddle : RowsMiddle {
  using RowsMiddle::RowsMiddle;
  static constexpr bool over_input = false;
  std::int64_t in_width() const { return 2 * hidden; }

  template <class T>
  void forward(const RunContext& context, const T* up, T* out, T* /*extra*/, T* /*scratch*/) const {
    for_rows(context, [&](std::int64_t row) {
      const T* const gate = up + row * 2 * hidden;
      silu_multiply(gate, gate + hidden, out + row * hidden, hidden);
    });
  }
  template <class T>
  void backward(const RunContext& context, const T* up, const T* /*out*/, const T* /*extra*/, const T* grad_out, T* grad_up,
                T* /*scratch*/) const {
    for_rows(context, [&](std::int64_t row) {
      const T* const gate = up + row * 2 * hidden;
      T* const grad_gate = grad_up + row * 2 * hidden;
      silu_multiply_backward(gate, gate + hidden, grad_out + row * hidden, grad_gate, grad_gate + hidden, hidden);
    });
  }

 private:
  template <class Work>
  static void for_rows(const RunContext& context, const Work& work) {
    for_parts(*context.pool, context.input->rows(), rows_per_part, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t row = begin; row < end; ++row) work(row);
    });
  }
};

template <class Middle>
std::shared_ptr<Layer> make(std::string name, const MlpOptions& options) {
  return std::make_shared<BlockLayer<Middle>>(std::move(name), Middle(options.hidden), options.width, options.norm, options.dropout,
                                              options.dtype);
}

}  // namespace

std::shared_ptr<Layer> make_mlp(std::string name, const MlpOptions& options) {
  base::require(options.width >= 1, "width is ", options.width, "; expected at least 1");
  base::require(options.hidden >= 1, "hidden is ", options.hidden, "; expected at least 1");
  require_probability("dropout", options.dropout);
  base::require(is_float(options.dtype), "dtype is ", tensor::dtype_name(options.dtype), "; expected F32 or F64");
  product({2, options.width, options.hidden});  // the largest weight
  return options.activation == Activation::gelu ? make<GeluMiddle>(std::move(name), options)
                                                : make<SwigluMiddle>(std::move(name), options);
}

}  // namespace ckpt::engine
