// Causal multi-head attention, as half of a transformer block.
// Sources: Vaswani et al., "Attention is all you need", arXiv:1706.03762; Su et al., "RoFormer", arXiv:2104.09864; Ainslie et al.,
// "GQA", arXiv:2305.13245.
#include <cmath>

#include "engine/attend.h"
#include "engine/block_layer.h"

namespace ckpt::engine {
namespace {

constexpr std::int32_t keep_probabilities = 0;
constexpr std::int32_t keep_log_sums = 1;
constexpr std::int32_t attention_options = 3;  // the last one keeps neither

// In: queries, keys and values, rotated if rotary_base is set; out: the heads' outputs; extra: probabilities or log-sum-exps.
class AttentionMiddle {
 public:
  explicit AttentionMiddle(const AttentionOptions& options)
      : attend_(options.heads, options.key_heads == 0 ? options.heads : options.key_heads, options.width / options.heads, true),
        heads_(options.heads),
        head_width_(options.width / options.heads),
        rotary_base_(options.rotary_base) {}

  static constexpr const char* in_name = "qkv";
  static constexpr const char* out_name = "out";
  static constexpr const char* leading = "[samples, tokens, ";
  static constexpr std::int32_t option_count = attention_options;
  static constexpr bool over_input = false;

  bool fits(const TensorSpec& input) const { return input.shape.ndim() == 3; }
  std::int64_t in_width() const { return attend_.row_length(); }
  std::int64_t out_width() const { return attend_.context_length(); }

  Kept kept(std::int32_t option) const {
    const bool anything = option == keep_probabilities || option == keep_log_sums;
    return {.in = anything, .out = anything, .extra = anything};
  }
  std::int64_t extra_numbers(const TensorSpec& input, std::int32_t option) const {
    return product({input.rows(), heads_, option == keep_probabilities ? input.shape[1] : 1});
  }
  std::int64_t scratch_numbers(const TensorSpec& input) const {
    return rotary_base_ > 0 ? product({input.shape[1], head_width_}) : 0;
  }

  template <class T>
  void forward(const RunContext& context, T* qkv, T* out, T* extra, T* rotations) const {
    const Attend::Extent extent = extent_of(context);
    if (rotary_base_ > 0) {
      attend_.fill_rotations(extent.queries, rotary_base_, rotations);
      attend_.rotate_rows(*context.pool, extent, rotations, false, qkv);
    }
    const bool probabilities = context.option == keep_probabilities;
    attend_.forward<T>(*context.pool, extent, attend_.parts_of<const T>(qkv), out, probabilities ? nullptr : extra,
                       probabilities ? extra : nullptr);
  }

  template <class T>
  void backward(const RunContext& context, const T* qkv, const T* out, const T* extra, const T* grad_out, T* grad_qkv,
                T* rotations) const {
    const Attend::Extent extent = extent_of(context);
    const bool probabilities = context.option == keep_probabilities;
    attend_.backward<T>(*context.pool, extent, attend_.parts_of<const T>(qkv), out, probabilities ? nullptr : extra,
                        probabilities ? extra : nullptr, grad_out, attend_.parts_of(grad_qkv));
    if (rotary_base_ > 0) {
      attend_.fill_rotations(extent.queries, rotary_base_, rotations);
      attend_.rotate_rows(*context.pool, extent, rotations, true, grad_qkv);
    }
  }

 private:
  static Attend::Extent extent_of(const RunContext& context) {
    return {context.input->shape[0], context.input->shape[1], context.input->shape[1]};
  }

  Attend attend_;
  std::int64_t heads_;
  std::int64_t head_width_;
  double rotary_base_;
};

}  // namespace

std::shared_ptr<Layer> make_attention(std::string name, const AttentionOptions& options) {
  const std::int64_t width = options.width;
  base::require(width >= 1, "width is ", width, "; expected at least 1");
  base::require(options.heads >= 1 && width % options.heads == 0, "heads is ", options.heads, "; expected a divisor of width ",
                width);
  base::require(options.key_heads >= 0 && options.key_heads <= options.heads &&
                    (options.key_heads == 0 || options.heads % options.key_heads == 0),
                "key_heads is ", options.key_heads, "; expected 0 or a divisor of heads ", options.heads);
  base::require(options.rotary_base == 0 || (std::isfinite(options.rotary_base) && options.rotary_base > 1), "rotary_base is ",
                options.rotary_base, "; expected 0 or a number above 1");
  base::require(options.rotary_base == 0 || width / options.heads % 2 == 0, "heads is ", options.heads,
                "; rotary_base needs an even width / heads, found ", width / options.heads);
  require_probability("dropout", options.dropout);
  base::require(is_float(options.dtype), "dtype is ", tensor::dtype_name(options.dtype), "; expected F32 or F64");
  product({3, width, width});  // the largest weight
  return std::make_shared<BlockLayer<AttentionMiddle>>(std::move(name), AttentionMiddle(options), width, options.norm,
                                                       options.dropout, options.dtype);
}

}  // namespace ckpt::engine
