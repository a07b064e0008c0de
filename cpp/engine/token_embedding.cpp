#include "engine/token_embedding.h"

#include <algorithm>

#include "engine/indices.h"
#include "engine/initial.h"
#include "engine/kernels.h"
#include "plan/profile.h"

namespace ckpt::engine {

TokenEmbedding::TokenEmbedding(std::string name, std::int64_t vocabulary, std::int64_t context, std::int64_t width, bool positions,
                               tensor::Dtype dtype)
    : Layer(std::move(name)), vocabulary_(vocabulary), context_(context), width_(width), positions_(positions), dtype_(dtype) {
  add_parameter("tokens.weight", dtype, {vocabulary, width});
  if (positions) add_parameter("positions.weight", dtype, {context, width});
}

TensorSpec TokenEmbedding::output(const TensorSpec& input) const {
  require_input(is_index(input.dtype) && input.shape.ndim() == 2 && input.shape[1] >= 1 && input.shape[1] <= context_,
                "the input is ", to_text(input), "; expected U8 or I32 [samples, tokens], 1 .. ", context_, " tokens");
  return {dtype_, {input.shape[0], input.shape[1], width_}};
}

std::uint32_t TokenEmbedding::flags() const { return plan::needs_input | plan::deterministic | plan::no_input_gradient; }

void TokenEmbedding::forward(const RunContext& context, const ForwardBuffers& buffers) {
  with_float(dtype_, [&](auto zero) { this->run_forward<decltype(zero)>(context, buffers); });
}

void TokenEmbedding::backward(const RunContext& context, const BackwardBuffers& buffers) {
  with_float(dtype_, [&](auto zero) { this->run_backward<decltype(zero)>(context, buffers); });
}

template <class T>
void TokenEmbedding::run_forward(const RunContext& context, const ForwardBuffers& buffers) const {
  const TensorSpec& input = *context.input;
  const T* const table = tokens().value->data_as<T>();
  const T* const places = positions_ ? parameter(1).value->data_as<T>() : nullptr;
  T* const y = static_cast<T*>(buffers.output);
  for_parts(*context.pool, input.shape.elements(), rows_per_part, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t token = index_at(buffers.input, input.dtype, i);
      if (token < 0 || token >= vocabulary_) {
        base::fail(base::Status::out_of_range, "layer ", base::quote(name()), ": token ", i, " is ", token, "; expected 0 .. ",
                   vocabulary_ - 1);
      }
      std::copy_n(table + token * width_, width_, y + i * width_);
      if (places != nullptr) add(places + i % input.shape[1] * width_, y + i * width_, width_);
    }
  });
}

// Each part owns a range of a table and reads all tokens in order, so every row is summed in the same order.
template <class T>
void TokenEmbedding::run_backward(const RunContext& context, const BackwardBuffers& buffers) const {
  const TensorSpec& input = *context.input;
  const std::int64_t length = input.shape[1];
  const T* const grad_y = static_cast<const T*>(buffers.grad_output);
  T* const grad_table = tokens().gradient->data_as<T>();
  constexpr std::int64_t max_parts = 64;  // each part reads all tokens
  const std::int64_t range = std::max(rows_per_part, (vocabulary_ + max_parts - 1) / max_parts);
  for_parts(*context.pool, vocabulary_, range, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = 0; i < input.shape.elements(); ++i) {
      const std::int64_t token = index_at(buffers.input, input.dtype, i);
      if (token >= begin && token < end) add(grad_y + i * width_, grad_table + token * width_, width_);
    }
  });
  if (!positions_) return;
  T* const grad_places = parameter(1).gradient->data_as<T>();
  for_parts(*context.pool, length, rows_per_part, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t sample = 0; sample < input.shape[0]; ++sample)
      add(grad_y + (sample * length + begin) * width_, grad_places + begin * width_, (end - begin) * width_);
  });
}

void TokenEmbedding::initialize(std::uint64_t seed, std::int64_t layer_number) {
  fill_uniform(*tokens().value, seed, layer_number, initial_bound, 1);
  if (positions_) fill_uniform(*parameter(1).value, seed, layer_number, initial_bound, 2);
}

std::shared_ptr<Layer> make_token_embedding(std::string name, std::int64_t vocabulary, std::int64_t context, std::int64_t width,
                                            bool positions, tensor::Dtype dtype) {
  base::require(vocabulary >= 1, "vocabulary is ", vocabulary, "; expected at least 1");
  base::require(context >= 1, "context is ", context, "; expected at least 1");
  base::require(width >= 1, "width is ", width, "; expected at least 1");
  base::require(is_float(dtype), "dtype is ", tensor::dtype_name(dtype), "; expected F32 or F64");
  return std::make_shared<TokenEmbedding>(std::move(name), vocabulary, context, width, positions, dtype);
}

}  // namespace ckpt::engine
