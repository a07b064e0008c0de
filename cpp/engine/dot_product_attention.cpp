// The core of attention, without norm, projections and residual: of a sequence to itself, or to another one.
#include "engine/attend.h"
#include "engine/layer.h"
#include "plan/profile.h"

namespace ckpt::engine {
namespace {

constexpr std::int64_t largest_heads = std::int64_t{1} << 30;

class DotProductAttention final : public Layer {
 public:
  DotProductAttention(std::string name, std::int64_t heads, std::int64_t key_heads)
      : Layer(std::move(name)), heads_(heads), key_heads_(key_heads) {}

  TensorSpec output(const TensorSpec& input) const override { return output_for({&input, 1}); }

  // One input: queries, keys and values side by side. Two inputs: queries; keys and values side by side.
  TensorSpec output_for(std::span<const TensorSpec> inputs) const override {
    require_input(inputs.size() == 1 || inputs.size() == 2, "inputs: found ", inputs.size(), "; expected 1 or 2");
    const std::int64_t parts = inputs.size() == 1 ? heads_ + 2 * key_heads_ : heads_;
    require_rows(inputs[0], 0, parts);
    const std::int64_t head_width = inputs[0].row_length() / parts;
    if (inputs.size() == 2) {
      require_rows(inputs[1], 1, 2 * key_heads_);
      require_input(inputs[1].dtype == inputs[0].dtype && inputs[1].samples() == inputs[0].samples() && inputs[1].shape[1] >= 1 &&
                        inputs[1].row_length() == 2 * key_heads_ * head_width,
                    "input 1 is ", to_text(inputs[1]), "; expected ", tensor::dtype_name(inputs[0].dtype), " [",
                    inputs[0].samples(), ", at least 1, ", 2 * key_heads_ * head_width, "]");
    }
    return {inputs[0].dtype, inputs[0].with_row_length(heads_ * head_width)};
  }

  std::uint32_t flags() const override { return plan::needs_input | plan::needs_output | plan::deterministic; }
  bool needs_blas() const override { return true; }

  OptionNeeds needs(const TensorSpec& input, std::int32_t option) const override { return needs_for({&input, 1}, option); }
  OptionNeeds needs_for(std::span<const TensorSpec> inputs, std::int32_t /*option*/) const override {
    return {.tape_bytes = tensor::byte_size(inputs[0].dtype, {inputs[0].shape[0], heads_, inputs[0].shape[1]})};
  }

  void forward(const RunContext& context, const ForwardBuffers& buffers) override {
    with_float(context.input->dtype, [&](auto zero) {
      using T = decltype(zero);
      const Attend attend = attend_of(context);
      const AttendRows<const T> rows = rows_of<const T>(attend, buffers.inputs.front(), buffers.inputs.back(), context);
      attend.forward<T>(*context.pool, extent_of(context), rows, static_cast<T*>(buffers.output), static_cast<T*>(buffers.tape),
                        nullptr);
    });
  }

  void backward(const RunContext& context, const BackwardBuffers& buffers) override {
    with_float(context.input->dtype, [&](auto zero) {
      using T = decltype(zero);
      const Attend attend = attend_of(context);
      const AttendRows<const T> rows = rows_of<const T>(attend, buffers.inputs.front(), buffers.inputs.back(), context);
      const AttendRows<T> grads = rows_of<T>(attend, buffers.grad_inputs.front().data, buffers.grad_inputs.back().data, context);
      attend.backward<T>(*context.pool, extent_of(context), rows, static_cast<const T*>(buffers.output),
                         static_cast<const T*>(buffers.tape), nullptr, static_cast<const T*>(buffers.grad_output), grads);
    });
  }

 private:
  void require_rows(const TensorSpec& input, int number, std::int64_t parts) const {
    require_input(is_float(input.dtype) && input.shape.ndim() == 3 && input.row_length() > 0 && input.row_length() % parts == 0,
                  "input ", number, " is ", to_text(input), "; expected F32 or F64 [samples, tokens, a multiple of ", parts, "]");
  }

  std::int64_t head_width(const RunContext& context) const { return context.output->row_length() / heads_; }
  Attend attend_of(const RunContext& context) const {
    return {heads_, key_heads_, head_width(context), context.inputs.size() == 1};
  }
  static Attend::Extent extent_of(const RunContext& context) {
    return {context.input->shape[0], context.input->shape[1], context.inputs.back().shape[1]};
  }
  // first, last: the addresses of the first and the last input, which are the same for one input.
  template <class T, class Address>
  AttendRows<T> rows_of(const Attend& attend, Address first, Address last, const RunContext& context) const {
    if (context.inputs.size() == 1) return attend.parts_of(static_cast<T*>(first));
    const std::int64_t width = key_heads_ * head_width(context);
    T* const keys = static_cast<T*>(last);
    return {static_cast<T*>(first), attend.context_length(), keys, keys + width, 2 * width};
  }

  std::int64_t heads_;
  std::int64_t key_heads_;
};

}  // namespace

std::shared_ptr<Layer> make_dot_product_attention(std::string name, std::int64_t heads, std::int64_t key_heads) {
  base::require(heads >= 1, "heads is ", heads, "; expected at least 1");
  base::require(heads <= largest_heads, "heads is ", heads, "; expected at most ", largest_heads);
  base::require(key_heads >= 0 && key_heads <= heads && (key_heads == 0 || heads % key_heads == 0), "key_heads is ", key_heads,
                "; expected 0 or a divisor of heads ", heads);
  return std::make_shared<DotProductAttention>(std::move(name), heads, key_heads == 0 ? heads : key_heads);
}

}  // namespace ckpt::engine
