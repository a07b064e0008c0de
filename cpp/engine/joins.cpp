// Layers that read several values, element by element: sum and product. Values are joined in the order of the layer's inputs.
#include <cstring>

#include "engine/kernels.h"
#include "engine/layer.h"
#include "plan/profile.h"

namespace ckpt::engine {
namespace {

// A layer of inputs of equal shape, with an output of that shape.
class ElementwiseJoin : public Layer {
 public:
  using Layer::Layer;

  TensorSpec output(const TensorSpec& input) const override { return output_for({&input, 1}); }

  TensorSpec output_for(std::span<const TensorSpec> inputs) const override {
    require_count(inputs.size());
    require_input(is_float(inputs[0].dtype), "the input is ", to_text(inputs[0]), "; expected F32 or F64");
    for (std::size_t i = 1; i < inputs.size(); ++i) {
      require_input(inputs[i] == inputs[0], "input ", i, " is ", to_text(inputs[i]), "; expected ", to_text(inputs[0]),
                    " of input 0");
    }
    return inputs[0];
  }

 protected:
  virtual void require_count(std::size_t count) const = 0;
};

class AddLayer final : public ElementwiseJoin {
 public:
  using ElementwiseJoin::ElementwiseJoin;

  std::uint32_t flags() const override { return plan::deterministic | plan::adds_gradient; }

  void forward(const RunContext& context, const ForwardBuffers& buffers) override {
    with_float(context.input->dtype, [&](auto zero) {
      using T = decltype(zero);
      T* const y = static_cast<T*>(buffers.output);
      for_parts(*context.pool, context.input->shape.elements(), elements_per_part, [&](std::int64_t begin, std::int64_t end) {
        std::memcpy(y + begin, static_cast<const T*>(buffers.input) + begin, static_cast<std::size_t>(end - begin) * sizeof(T));
        for (const void* const input : buffers.inputs.subspan(1)) add(static_cast<const T*>(input) + begin, y + begin, end - begin);
      });
    });
  }

  void backward(const RunContext& context, const BackwardBuffers& buffers) override {
    with_float(context.input->dtype, [&](auto zero) {
      using T = decltype(zero);
      const T* const grad_y = static_cast<const T*>(buffers.grad_output);
      for_parts(*context.pool, context.input->shape.elements(), elements_per_part, [&](std::int64_t begin, std::int64_t end) {
        for (const InputGradient& gradient : buffers.grad_inputs) {
          T* const grad_x = static_cast<T*>(gradient.data) + begin;
          if (gradient.adds) {
            add(grad_y + begin, grad_x, end - begin);
          } else {
            std::memcpy(grad_x, grad_y + begin, static_cast<std::size_t>(end - begin) * sizeof(T));
          }
        }
      });
    });
  }

 protected:
  void require_count(std::size_t count) const override {
    require_input(count >= 2, "inputs: found ", count, "; expected at least 2");
  }
};

class MultiplyLayer final : public ElementwiseJoin {
 public:
  using ElementwiseJoin::ElementwiseJoin;

  std::uint32_t flags() const override { return plan::needs_input | plan::deterministic | plan::adds_gradient; }

  void forward(const RunContext& context, const ForwardBuffers& buffers) override {
    with_float(context.input->dtype, [&](auto zero) {
      using T = decltype(zero);
      const T* const a = static_cast<const T*>(buffers.inputs[0]);
      const T* const b = static_cast<const T*>(buffers.inputs[1]);
      T* const y = static_cast<T*>(buffers.output);
      for_parts(*context.pool, context.input->shape.elements(), elements_per_part,
                [&](std::int64_t begin, std::int64_t end) { multiply(a + begin, b + begin, y + begin, end - begin); });
    });
  }

  // The gradient of one factor is grad_y times the other one.
  void backward(const RunContext& context, const BackwardBuffers& buffers) override {
    with_float(context.input->dtype, [&](auto zero) {
      using T = decltype(zero);
      const T* const grad_y = static_cast<const T*>(buffers.grad_output);
      for_parts(*context.pool, context.input->shape.elements(), elements_per_part, [&](std::int64_t begin, std::int64_t end) {
        for (std::size_t i = 0; i < 2; ++i) {
          const T* const other = static_cast<const T*>(buffers.inputs[1 - i]) + begin;
          T* const grad_x = static_cast<T*>(buffers.grad_inputs[i].data) + begin;
          if (buffers.grad_inputs[i].adds) {
            add_product(grad_y + begin, other, grad_x, end - begin);
          } else {
            multiply(grad_y + begin, other, grad_x, end - begin);
          }
        }
      });
    });
  }

 protected:
  void require_count(std::size_t count) const override { require_input(count == 2, "inputs: found ", count, "; expected 2"); }
};

}  // namespace

std::shared_ptr<Layer> make_add(std::string name) { return std::make_shared<AddLayer>(std::move(name)); }

std::shared_ptr<Layer> make_multiply(std::string name) { return std::make_shared<MultiplyLayer>(std::move(name)); }

}  // namespace ckpt::engine
