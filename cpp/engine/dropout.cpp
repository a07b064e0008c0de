// Sets random elements to 0.
#include <cstring>

#include "engine/drop.h"
#include "engine/layer.h"
#include "plan/profile.h"

namespace ckpt::engine {
namespace {

constexpr std::int32_t store_mask = 0;
constexpr std::int32_t dropout_options = 2;  // the second one recomputes the mask

class DropoutLayer final : public Layer {
 public:
  DropoutLayer(std::string name, double probability) : Layer(std::move(name)), drop_(probability, 0) {}

  TensorSpec output(const TensorSpec& input) const override {
    require_input(is_float(input.dtype) && input.shape.ndim() >= 1, "the input is ", to_text(input),
                  "; expected F32 or F64 [samples, ...]");
    return input;
  }

  std::uint32_t flags() const override { return plan::deterministic | plan::in_place; }
  std::int32_t options() const override { return dropout_options; }

  OptionNeeds needs(const TensorSpec& input, std::int32_t option) const override {
    OptionNeeds needs{.has_record = true};
    if (option == store_mask) needs.tape_bytes = input.samples() * Drop::mask_bytes(input.width());
    return needs;
  }

  void forward(const RunContext& context, const ForwardBuffers& buffers) override {
    if (context.evaluation) {
      if (buffers.output != buffers.input)
        std::memcpy(buffers.output, buffers.input, static_cast<std::size_t>(context.input->bytes()));
      return;
    }
    apply(context, buffers.input, buffers.output, context.option == store_mask ? buffers.tape : nullptr);
  }

  void record(const RunContext& context, const ForwardBuffers& buffers) override {
    if (context.option == store_mask && buffers.tape != nullptr) apply(context, nullptr, nullptr, buffers.tape);
  }

  void backward(const RunContext& context, const BackwardBuffers& buffers) override {
    if (buffers.grad_input == nullptr) return;
    if (context.option != store_mask) return apply(context, buffers.grad_output, buffers.grad_input, nullptr);
    with_float(context.input->dtype, [&](auto zero) {
      using T = decltype(zero);
      drop_.apply_kept(context, static_cast<const T*>(buffers.grad_output), static_cast<const std::uint8_t*>(buffers.tape),
                       static_cast<T*>(buffers.grad_input));
    });
  }

 private:
  void apply(const RunContext& context, const void* x, void* y, void* masks) const {
    with_float(context.input->dtype, [&](auto zero) {
      using T = decltype(zero);
      drop_.apply(context, static_cast<const T*>(x), static_cast<T*>(y), static_cast<std::uint8_t*>(masks));
    });
  }

  Drop drop_;
};

}  // namespace

std::shared_ptr<Layer> make_dropout(std::string name, double probability) {
  require_probability("probability", probability);
  return std::make_shared<DropoutLayer>(std::move(name), probability);
}

}  // namespace ckpt::engine
