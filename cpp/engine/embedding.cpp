// Looks up tokens in a table and concatenates a sample's vectors.
#include <algorithm>

#include "engine/indices.h"
#include "engine/initial.h"
#include "engine/layer.h"
#include "plan/profile.h"

namespace ckpt::engine {
namespace {

class EmbeddingLayer final : public Layer {
 public:
  EmbeddingLayer(std::string name, std::int64_t vocabulary, std::int64_t context, std::int64_t width, tensor::Dtype dtype)
      : Layer(std::move(name)), vocabulary_(vocabulary), context_(context), width_(width), dtype_(dtype) {
    add_parameter("table", dtype, {vocabulary, width});
  }

  TensorSpec output(const TensorSpec& input) const override {
    require_input(is_index(input.dtype) && input.shape.ndim() == 2 && input.shape[1] == context_, "the input is ", to_text(input),
                  "; expected U8 or I32 [samples, ", context_, "]");
    return {dtype_, {input.shape[0], context_ * width_}};
  }

  std::uint32_t flags() const override { return plan::needs_input | plan::deterministic | plan::no_input_gradient; }

  void forward(const RunContext& context, const ForwardBuffers& buffers) override {
    const TensorSpec& input = *context.input;
    with_float(dtype_, [&](auto zero) {
      using T = decltype(zero);
      const T* const table = parameter(0).value->data_as<T>();
      T* const y = static_cast<T*>(buffers.output);
      for_parts(*context.pool, input.shape[0], rows_per_part, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin * context_; i < end * context_; ++i) {
          const std::int64_t token = index_at(buffers.input, input.dtype, i);
          if (token < 0 || token >= vocabulary_) {
            base::fail(base::Status::out_of_range, "layer ", base::quote(name()), ": token ", i, " is ", token, "; expected 0 .. ",
                       vocabulary_ - 1);
          }
          std::copy_n(table + token * width_, width_, y + i * width_);
        }
      });
    });
  }

  // Each part owns a range of the table and reads all tokens in order, so every row is summed in the same order.
  void backward(const RunContext& context, const BackwardBuffers& buffers) override {
    const TensorSpec& input = *context.input;
    const std::int64_t tokens = input.shape.elements();
    with_float(dtype_, [&](auto zero) {
      using T = decltype(zero);
      const T* const grad_y = static_cast<const T*>(buffers.grad_output);
      T* const grad_table = parameter(0).gradient->data_as<T>();
      for_parts(*context.pool, vocabulary_, rows_per_part, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = 0; i < tokens; ++i) {
          const std::int64_t token = index_at(buffers.input, input.dtype, i);
          if (token < begin || token >= end) continue;
          for (std::int64_t j = 0; j < width_; ++j) grad_table[token * width_ + j] += grad_y[i * width_ + j];
        }
      });
    });
  }

  void initialize(std::uint64_t seed, std::int64_t layer_number) override {
    fill_uniform(*parameter(0).value, seed, layer_number, 1.0);
  }

 private:
  std::int64_t vocabulary_;
  std::int64_t context_;
  std::int64_t width_;
  tensor::Dtype dtype_;
};

}  // namespace

std::shared_ptr<Layer> make_embedding(std::string name, std::int64_t vocabulary, std::int64_t context, std::int64_t width,
                                      tensor::Dtype dtype) {
  base::require(vocabulary >= 1, "vocabulary is ", vocabulary, "; expected at least 1");
  base::require(context >= 1, "context is ", context, "; expected at least 1");
  base::require(width >= 1, "width is ", width, "; expected at least 1");
  base::require(is_float(dtype), "dtype is ", tensor::dtype_name(dtype), "; expected F32 or F64");
  std::int64_t output_width = 0;
  if (__builtin_mul_overflow(context, width, &output_width)) {
    base::fail(base::Status::out_of_range, "context is ", context, " and width is ", width, "; their product exceeds INT64_MAX");
  }
  return std::make_shared<EmbeddingLayer>(std::move(name), vocabulary, context, width, dtype);
}

}  // namespace ckpt::engine
