// Dropout whose mask is a function of (seed, step, layer, sample, element): making it again makes the same one.
#include <algorithm>
#include <array>
#include <cmath>

#include "base/philox.h"
#include "engine/kernels.h"
#include "engine/layer.h"
#include "plan/profile.h"

namespace ckpt::engine {
namespace {

constexpr std::int32_t store_mask = 0;
constexpr std::int32_t options_count = 2;  // the other makes the mask again

// Elements whose random words are made at once, on the stack.
constexpr std::int64_t chunk = 1024;
constexpr std::int64_t words_per_block = 64;  // random_words writes so many at least

class DropoutLayer final : public Layer {
 public:
  DropoutLayer(std::string name, double probability)
      : Layer(std::move(name)),
        scale_(1 / (1 - probability)),
        threshold_(static_cast<std::uint32_t>(std::floor(probability * 0x1p32))) {}

  TensorSpec output(const TensorSpec& input) const override {
    require_input(is_float(input.dtype) && input.shape.ndim() >= 1, "the input is ", to_text(input), "; F32 or F64 [samples, ...]");
    return input;
  }

  std::uint32_t flags() const override { return plan::deterministic | plan::in_place; }
  std::int32_t options() const override { return options_count; }

  OptionNeeds needs(const TensorSpec& input, std::int32_t option) const override {
    OptionNeeds needs{.has_record = true};
    if (option == store_mask) needs.tape_bytes = input.samples() * mask_bytes(input.width());
    return needs;
  }

  void forward(const RunContext& context, const ForwardBuffers& buffers) override {
    apply_random(context, buffers.input, buffers.output, context.option == store_mask ? buffers.tape : nullptr);
  }

  void record(const RunContext& context, const ForwardBuffers& buffers) override {
    if (context.option == store_mask && buffers.tape != nullptr) make_mask(context, static_cast<std::uint8_t*>(buffers.tape));
  }

  void backward(const RunContext& context, const BackwardBuffers& buffers) override {
    if (buffers.grad_input == nullptr) return;
    if (context.option == store_mask) {
      apply_mask(context, buffers);
    } else {
      apply_random(context, buffers.grad_output, buffers.grad_input, nullptr);
    }
  }

 private:
  static base::PhiloxKey key_of(const RunContext& context) {
    return base::philox_derive_key(context.seed, static_cast<std::uint64_t>(context.step),
                                   static_cast<std::uint64_t>(context.layer));
  }

  // A sample's mask begins on a byte of its own.
  static std::int64_t mask_bytes(std::int64_t width) { return (width + 7) / 8; }

  void apply_random(const RunContext& context, const void* input, void* output, void* tape) const {
    const std::int64_t width = context.input->width();
    const base::PhiloxKey key = key_of(context);
    with_float(context.input->dtype, [&](auto zero) {
      using T = decltype(zero);
      for_parts(*context.pool, context.input->samples(), rows_per_part, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t sample = begin; sample < end; ++sample) {
          const T* const x = static_cast<const T*>(input) + sample * width;
          T* const y = static_cast<T*>(output) + sample * width;
          auto* const mask = tape == nullptr ? nullptr : static_cast<std::uint8_t*>(tape) + sample * mask_bytes(width);
          apply_to_sample(key, context.first_sample + sample, width, x, y, mask);
        }
      });
    });
  }

  template <class T>
  void apply_to_sample(base::PhiloxKey key, std::int64_t sample, std::int64_t width, const T* x, T* y, std::uint8_t* mask) const {
    alignas(64) std::array<std::uint32_t, chunk> words;
    for (std::int64_t first = 0; first < width; first += chunk) {
      const std::int64_t here = std::min(chunk, width - first);
      random_words(key, sample, first, here, words.data());
      dropout(x + first, words.data(), threshold_, static_cast<T>(scale_), y + first, here);
      if (mask != nullptr) pack_mask(words.data(), threshold_, mask + first / 8, here);
    }
  }

  void make_mask(const RunContext& context, std::uint8_t* masks) const {
    const std::int64_t width = context.input->width();
    const base::PhiloxKey key = key_of(context);
    for_parts(*context.pool, context.input->samples(), rows_per_part, [&](std::int64_t begin, std::int64_t end) {
      alignas(64) std::array<std::uint32_t, chunk> words;
      for (std::int64_t sample = begin; sample < end; ++sample) {
        std::uint8_t* const mask = masks + sample * mask_bytes(width);
        for (std::int64_t first = 0; first < width; first += chunk) {
          const std::int64_t here = std::min(chunk, width - first);
          random_words(key, context.first_sample + sample, first, here, words.data());
          pack_mask(words.data(), threshold_, mask + first / 8, here);
        }
      }
    });
  }

  void apply_mask(const RunContext& context, const BackwardBuffers& buffers) const {
    const std::int64_t width = context.input->width();
    with_float(context.input->dtype, [&](auto zero) {
      using T = decltype(zero);
      for_parts(*context.pool, context.input->samples(), rows_per_part, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t sample = begin; sample < end; ++sample) {
          const auto* const mask = static_cast<const std::uint8_t*>(buffers.tape) + sample * mask_bytes(width);
          dropout_masked(static_cast<const T*>(buffers.grad_output) + sample * width, mask, static_cast<T>(scale_),
                         static_cast<T*>(buffers.grad_input) + sample * width, width);
        }
      });
    });
  }

  double scale_;
  std::uint32_t threshold_;  // an element is kept when its word is at least this
};
static_assert(chunk % words_per_block == 0);

}  // namespace

std::shared_ptr<Layer> make_dropout(std::string name, double probability) {
  base::require(probability >= 0 && probability < 1, "probability is ", probability, "; 0 <= p < 1");
  return std::make_shared<DropoutLayer>(std::move(name), probability);
}

}  // namespace ckpt::engine
